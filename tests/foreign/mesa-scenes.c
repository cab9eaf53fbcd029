/* SPDX-License-Identifier: MIT */
/*
 * mesa-scenes: draws scenes with Mesa, for mesa-compare.
 *
 *	mesa-scenes DEVICE DIR [SCENE]...
 *
 * DEVICE is a render node, or `none` for Mesa's drawing by the CPU.  Each scene
 * becomes DIR/SCENE: 64 x 64 pixels of 4 bytes.  Prints the renderer's name.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 64 };

/* Names of EGL and OpenGL 2.1, which are in no header here. */
enum {
	EGL_PLATFORM_GBM = 0x31d7,
	EGL_PLATFORM_SURFACELESS = 0x31dd,
	EGL_OPENGL_API = 0x30a2,
	GL_TRIANGLES = 4,
	GL_SRC_ALPHA = 0x302,
	GL_ONE_MINUS_SRC_ALPHA = 0x303,
	GL_BLEND = 0xbe2,
	GL_SCISSOR_TEST = 0xc11,
	GL_TEXTURE_2D = 0xde1,
	GL_UNSIGNED_BYTE = 0x1401,
	GL_FLOAT = 0x1406,
	GL_RGBA = 0x1908,
	GL_RENDERER = 0x1f01,
	GL_NEAREST = 0x2600,
	GL_LINEAR = 0x2601,
	GL_TEXTURE_MAG_FILTER = 0x2800,
	GL_TEXTURE_MIN_FILTER = 0x2801,
	GL_COLOR_BUFFER_BIT = 0x4000,
	GL_RGBA8 = 0x8058,
	GL_FRAGMENT_SHADER = 0x8b30,
	GL_VERTEX_SHADER = 0x8b31,
	GL_COMPILE_STATUS = 0x8b81,
	GL_LINK_STATUS = 0x8b82,
	GL_COLOR_ATTACHMENT0 = 0x8ce0,
	GL_READ_FRAMEBUFFER = 0x8ca8,
	GL_DRAW_FRAMEBUFFER = 0x8ca9,
	GL_FRAMEBUFFER_COMPLETE = 0x8cd5,
	GL_FRAMEBUFFER = 0x8d40,
	GL_RENDERBUFFER = 0x8d41
};

typedef unsigned int uint;

#define FUNCTIONS                                                              \
	F(void, glGenFramebuffers, (int, uint *))                              \
	F(void, glBindFramebuffer, (uint, uint))                               \
	F(void, glGenRenderbuffers, (int, uint *))                             \
	F(void, glBindRenderbuffer, (uint, uint))                              \
	F(void, glRenderbufferStorageMultisample, (uint, int, uint, int, int)) \
	F(void, glBlitFramebuffer,                                             \
	  (int, int, int, int, int, int, int, int, uint, uint))                \
	F(uint, glGetError, (void))                                            \
	F(void, glFramebufferRenderbuffer, (uint, uint, uint, uint))           \
	F(uint, glCheckFramebufferStatus, (uint))                              \
	F(void, glViewport, (int, int, int, int))                              \
	F(void, glScissor, (int, int, int, int))                               \
	F(void, glClearColor, (float, float, float, float))                    \
	F(void, glClear, (uint))                                               \
	F(void, glEnable, (uint))                                              \
	F(void, glDisable, (uint))                                             \
	F(void, glBlendFunc, (uint, uint))                                     \
	F(uint, glCreateShader, (uint))                                        \
	F(void, glShaderSource, (uint, int, const char **, int *))             \
	F(void, glCompileShader, (uint))                                       \
	F(void, glGetShaderiv, (uint, uint, int *))                            \
	F(void, glGetShaderInfoLog, (uint, int, int *, char *))                \
	F(uint, glCreateProgram, (void))                                       \
	F(void, glAttachShader, (uint, uint))                                  \
	F(void, glBindAttribLocation, (uint, uint, const char *))              \
	F(void, glLinkProgram, (uint))                                         \
	F(void, glGetProgramiv, (uint, uint, int *))                           \
	F(void, glUseProgram, (uint))                                          \
	F(int, glGetUniformLocation, (uint, const char *))                     \
	F(void, glUniform1f, (int, float))                                     \
	F(void, glUniform1fv, (int, int, const float *))                       \
	F(void, glUniform1i, (int, int))                                       \
	F(void, glVertexAttribPointer,                                         \
	  (uint, int, uint, uint, int, const void *))                          \
	F(void, glEnableVertexAttribArray, (uint))                             \
	F(void, glDrawArrays, (uint, int, int))                                \
	F(void, glGenTextures, (int, uint *))                                  \
	F(void, glBindTexture, (uint, uint))                                   \
	F(void, glTexParameteri, (uint, uint, int))                            \
	F(void, glTexImage2D,                                                  \
	  (uint, int, int, int, int, int, uint, uint, const void *))           \
	F(void, glReadPixels, (int, int, int, int, uint, uint, void *))        \
	F(const char *, glGetString, (uint))

#define F(type, name, arguments) static type(*name) arguments;
FUNCTIONS
#undef F

static void
die(const char *what)
{
	fprintf(stderr, "mesa-scenes: %s\n", what);
	exit(1);
}

static void *
symbol(void *library, const char *name)
{
	void *found = dlsym(library, name);

	if (!found)
		die(name);
	return found;
}

/* A context without a surface on a node, or by the CPU. */
static void
open_context(const char *device)
{
	void *gbm = dlopen("libgbm.so.1", RTLD_NOW | RTLD_GLOBAL);
	void *egl = dlopen("libEGL.so.1", RTLD_NOW | RTLD_GLOBAL);

	if (!gbm || !egl)
		die(dlerror());

	void *(*create_device)(int) = symbol(gbm, "gbm_create_device");
	void *(*address)(const char *) = symbol(egl, "eglGetProcAddress");
	void *(*display)(uint, void *, const int *) =
		address("eglGetPlatformDisplayEXT");
	uint (*initialize)(void *, int *, int *) = symbol(egl, "eglInitialize");
	uint (*bind)(uint) = symbol(egl, "eglBindAPI");
	void *(*create)(void *, void *, void *, const int *) =
		symbol(egl, "eglCreateContext");
	uint (*current)(void *, void *, void *, void *) =
		symbol(egl, "eglMakeCurrent");
	void *native = NULL, *shown, *context;
	uint platform = EGL_PLATFORM_SURFACELESS;

	if (strcmp(device, "none") != 0) {
		const int fd = open(device, O_RDWR | O_CLOEXEC);

		native = fd < 0 ? NULL : create_device(fd);
		if (!native)
			die(device);
		platform = EGL_PLATFORM_GBM;
	}
	shown = display(platform, native, NULL);
	if (!shown || !initialize(shown, NULL, NULL))
		die("no display");
	bind(EGL_OPENGL_API);
	context = create(shown, NULL, NULL, NULL);
	if (!context || !current(shown, NULL, NULL, context))
		die("no context");
#define F(type, name, arguments) name = address(#name);
	FUNCTIONS
#undef F
}

static uint
compile(uint kind, const char *source)
{
	const uint shader = glCreateShader(kind);
	char log[1024] = "";
	int good;

	glShaderSource(shader, 1, &source, NULL);
	glCompileShader(shader);
	glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
	glGetShaderInfoLog(shader, sizeof(log), NULL, log);
	if (!good)
		die(log);
	return shader;
}

/* A program that is used from now on: `p` has the position. */
static uint
use(const char *fragment)
{
	static const char vertex[] =
		"attribute vec2 p; varying vec2 v;\n"
		"void main() { v = p; gl_Position = vec4(p, 0., 1.); }\n";
	const uint program = glCreateProgram();
	char source[2048];
	int good;

	snprintf(source, sizeof(source), "varying vec2 v;\n%s", fragment);
	glAttachShader(program, compile(GL_VERTEX_SHADER, vertex));
	glAttachShader(program, compile(GL_FRAGMENT_SHADER, source));
	glBindAttribLocation(program, 0, "p");
	glLinkProgram(program);
	glGetProgramiv(program, GL_LINK_STATUS, &good);
	if (!good)
		die("a program is not linked");
	glUseProgram(program);
	return program;
}

static void
draw(const float corners[6])
{
	glVertexAttribPointer(0, 2, GL_FLOAT, 0, 0, corners);
	glEnableVertexAttribArray(0);
	glDrawArrays(GL_TRIANGLES, 0, 3);
}

static const float whole[] = { -1, -1, 3, -1, -1, 3 };
static const float part[] = { -0.9f, -0.8f, 0.8f, -0.6f, -0.1f, 0.9f };

static void
flat(void)
{
	use("void main() { gl_FragColor = vec4(1., .5, .25, 1.); }");
	draw(part);
}

static void
gradient(void)
{
	use("void main() { gl_FragColor = vec4(v * .5 + .5, .5, 1.); }");
	draw(whole);
}

static void
window(void)
{
	glEnable(GL_SCISSOR_TEST);
	glScissor(5, 7, 40, 33);
	use("void main() { gl_FragColor = vec4(0., 1., 0., 1.); }");
	draw(whole);
	glDisable(GL_SCISSOR_TEST);
}

static void
discard(void)
{
	use("void main() {\n"
	    "	vec2 c = floor(gl_FragCoord.xy / 8.);\n"
	    "	if (mod(c.x + c.y, 2.) > .5) discard;\n"
	    "	gl_FragColor = vec4(1., 1., 0., 1.); }");
	draw(whole);
}

static void
blend(void)
{
	glEnable(GL_BLEND);
	glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
	use("void main() { gl_FragColor = vec4(1., 0., .5, .5); }");
	draw(whole);
	draw(part);
	glDisable(GL_BLEND);
}

static void
texture(int filter, const char *source)
{
	uint8_t pixels[16 * 16 * 4];
	uint name;

	for (unsigned i = 0; i < 16 * 16; i++) {
		pixels[4 * i] = (uint8_t)(8 * (i % 16));
		pixels[4 * i + 1] = (uint8_t)(8 * (i / 16));
		pixels[4 * i + 2] = (uint8_t)(4 * (i % 16 + i / 16));
		pixels[4 * i + 3] = 255;
	}
	glGenTextures(1, &name);
	glBindTexture(GL_TEXTURE_2D, name);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 16, 16, 0, GL_RGBA,
		     GL_UNSIGNED_BYTE, pixels);
	glUniform1i(glGetUniformLocation(use(source), "t"), 0);
	draw(whole);
}

static void
nearest(void)
{
	texture(GL_NEAREST, "uniform sampler2D t; void main() {\n"
			    "	gl_FragColor = texture2D(t, v * .5 + .5); }");
}

static void
linear(void)
{
	texture(GL_LINEAR, "uniform sampler2D t; void main() {\n"
			   "	gl_FragColor = texture2D(t, v * .5 + .5); }");
}

/* Each step of a loop looks up where the next one looks. */
static void
loop(void)
{
	float steps[32];
	uint program;

	for (unsigned i = 0; i < 32; i++)
		steps[i] = (float)((i * 13 + 5) % 32);
	program = use("uniform float u[32]; uniform float n; void main() {\n"
		      "	float at = floor(gl_FragCoord.x / 8.);\n"
		      "	for (float i = 0.; i < n; i += 1.)\n"
		      "		at = u[int(at)];\n"
		      "	gl_FragColor = vec4(at / 255., n / 255., 0., 1.); }");
	glUniform1fv(glGetUniformLocation(program, "u"), 32, steps);
	glUniform1f(glGetUniformLocation(program, "n"), 11.f);
	draw(whole);
}

static void
nothing(void)
{
}

static const struct scene {
	const char *name;
	void (*draw)(void);
	int samples;
} scenes[] = {
	{ "clear", nothing, 0 },     { "triangle", flat, 0 },
	{ "gradient", gradient, 0 }, { "window", window, 0 },
	{ "resolve", flat, 4 },	     { "discard", discard, 0 },
	{ "blend", blend, 0 },	     { "blend4", blend, 4 },
	{ "nearest", nearest, 0 },   { "linear", linear, 0 },
	{ "loop", loop, 0 },
};

/* A frame buffer that is bound: with samples, or one for each pixel. */
static uint
new_frame(int samples)
{
	uint frame, buffer;

	glGenFramebuffers(1, &frame);
	glBindFramebuffer(GL_FRAMEBUFFER, frame);
	glGenRenderbuffers(1, &buffer);
	glBindRenderbuffer(GL_RENDERBUFFER, buffer);
	glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, GL_RGBA8,
					 SIDE, SIDE);
	glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
				  GL_RENDERBUFFER, buffer);
	if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
		die("no frame buffer");
	return frame;
}

static void
make(const struct scene *scene, const char *dir)
{
	uint8_t pixels[SIDE * SIDE * 4] = { 0 };
	uint plain = new_frame(0), frame = plain;
	char path[4096];
	FILE *file;

	if (scene->samples)
		frame = new_frame(scene->samples);
	glViewport(0, 0, SIDE, SIDE);
	glClearColor(0.25f, 0.5f, 0.75f, 1);
	glClear(GL_COLOR_BUFFER_BIT);
	scene->draw();
	if (scene->samples) {
		glBindFramebuffer(GL_READ_FRAMEBUFFER, frame);
		glBindFramebuffer(GL_DRAW_FRAMEBUFFER, plain);
		glBlitFramebuffer(0, 0, SIDE, SIDE, 0, 0, SIDE, SIDE,
				  GL_COLOR_BUFFER_BIT, GL_NEAREST);
	}
	glBindFramebuffer(GL_FRAMEBUFFER, plain);
	glReadPixels(0, 0, SIDE, SIDE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
	if (glGetError() != 0)
		die(scene->name);
	snprintf(path, sizeof(path), "%s/%s", dir, scene->name);
	file = fopen(path, "w");
	if (!file || fwrite(pixels, sizeof(pixels), 1, file) != 1 ||
	    fclose(file) != 0)
		die(path);
}

static int
is_wanted(const char *name, char **words)
{
	if (!*words)
		return 1;
	while (*words && strcmp(*words, name) != 0)
		words++;
	return *words != NULL;
}

int
main(int argc, char **argv)
{
	if (argc < 3)
		die("usage: mesa-scenes DEVICE DIR [SCENE]...");
	open_context(argv[1]);
	printf("%s\n", glGetString(GL_RENDERER));
	fflush(stdout);
	for (size_t i = 0; i < sizeof(scenes) / sizeof(*scenes); i++)
		if (is_wanted(scenes[i].name, argv + 3))
			make(&scenes[i], argv[2]);
	return 0;
}
