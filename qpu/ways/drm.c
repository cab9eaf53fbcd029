/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/ways/drm.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	DRM_MAJOR = 226, /* of all nodes in /dev/dri */
	/* Register IDENT0 of a VideoCore IV: "V3D", and version 2. */
	VIDEOCORE_IV = 0x02443356
};

/* Calls to a node ---------------------------------------------------------- */

static int
descriptor(const void *context)
{
	return (int)(intptr_t)context;
}

static int
node_request(void *context, unsigned long request, void *argument)
{
	return ioctl(descriptor(context), request, argument) < 0 ? -errno : 0;
}

static void *
node_map(void *context, uint64_t offset, size_t bytes)
{
	void *memory;

	if ((uint64_t)(off_t)offset != offset)
		return NULL;
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
		      descriptor(context), (off_t)offset);
	return memory == MAP_FAILED ? NULL : memory;
}

static void
node_unmap(void *context, void *memory, size_t bytes)
{
	(void)context;
	munmap(memory, bytes);
}

static void
node_close(void *context)
{
	close(descriptor(context));
}

/* One node ----------------------------------------------------------------- */

/* Check that the node's driver has a V3D that can run programs. */
static enum obstacle
check_driver(const struct drm_calls *calls)
{
	char name[16] = "";
	struct drm_version version = { .name_bytes = sizeof(name) - 1,
				       .name = name };
	struct vc4_get_param ident = { .param = VC4_PARAM_IDENT0 };

	if (drm_ask(calls, DRM_VERSION, &version) != 0 ||
	    strcmp(name, "vc4") != 0)
		return NO_NODE;
	if (drm_ask(calls, VC4_GET_PARAM, &ident) != 0 ||
	    ident.value != VIDEOCORE_IV)
		return DRM_NO_V3D;
	return USABLE;
}

/* Nothing that has the name of a node can block, is followed as a link, or
 * becomes the terminal of this process. */
static enum obstacle
try_node(struct finding *finding, struct drm_calls *calls)
{
	const char *path = finding->detail;
	enum obstacle obstacle;
	struct statx status;
	int fd;

	if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS,
		  &status) != 0)
		return NO_NODE;
	if (!S_ISCHR(status.stx_mode))
		return DRM_NO_DEVICE;
	fd = open(path,
		  O_RDWR | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && (errno == EACCES || errno == EPERM))
		return host_group_may_open(status.stx_mode, status.stx_gid,
					   "render", finding) ?
			       DRM_FOR_GROUP :
			       DRM_FOR_ROOT;
	if (fd < 0) {
		snprintf(finding->more, sizeof(finding->more), "%s",
			 strerror(errno));
		return DRM_CANNOT_OPEN;
	}
	if (statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &status) != 0 ||
	    !S_ISCHR(status.stx_mode) || status.stx_rdev_major != DRM_MAJOR) {
		close(fd);
		return DRM_NO_DEVICE;
	}
	*calls = (struct drm_calls){ .context = (void *)(intptr_t)fd,
				     .request = node_request,
				     .map = node_map,
				     .unmap = node_unmap,
				     .close = node_close };
	obstacle = check_driver(calls);
	if (obstacle != USABLE)
		close(fd);
	return obstacle;
}

/* Find the first usable node, or else the most specific obstacle. */
static void
try_nodes(struct finding *finding, struct drm_calls *calls)
{
	finding->obstacle = NO_NODE;
	for (unsigned i = VC4_NODE_FIRST; i <= VC4_NODE_LAST; i++) {
		struct finding found = { .obstacle = USABLE };

		snprintf(found.detail, sizeof(found.detail),
			 "/dev/dri/renderD%u", i);
		found.obstacle = try_node(&found, calls);
		if (found.obstacle == USABLE ||
		    obstacle_is_more_specific(found.obstacle,
					      finding->obstacle))
			*finding = found;
		if (found.obstacle == USABLE)
			return;
	}
	if (finding->obstacle != NO_NODE)
		return;
	if (host_v3d_owner() != V3D_FREE)
		finding->obstacle = NO_NODE_OF_VC4;
	else if (host_is_small())
		finding->obstacle = SMALL_BOARD;
	snprintf(finding->detail, sizeof(finding->detail), "%s", host_config());
}

/* In a container the device tree may be hidden; then the kernel's driver, which
 * no machine loads without its GPU, shows that there is one. */
static bool
may_have_nodes(const struct host *host)
{
	if (host->soc || *host->model)
		return host->soc && host->soc->videocore4;
	return host_has("/sys/bus/platform/drivers/vc4-drm");
}

bool
drm_node_open(struct drm_node *node, struct diag *why_not)
{
	struct finding of_board;

	/* Boards of other makers may have the driver. */
	host_identify(&node->host, &of_board);
	node->finding = of_board;
	if (may_have_nodes(&node->host))
		try_nodes(&node->finding, &node->calls);
	if (node->finding.obstacle == USABLE)
		return true;
	if (!node->host.soc && node->finding.obstacle == NO_NODE)
		node->finding = of_board;
	obstacle_explain(&node->finding, why_not);
	return false;
}

/* The device ---------------------------------------------------------------- */

/* The field is a bool: this way and no other. */
const struct option_row drm_option_rows[] = {
	{ .name = "drm", .kind = OPTION_FLAG }, { .name = NULL }
};

enum obstacle
drm_obstacle(struct diag *why_not)
{
	struct drm_node node;

	if (drm_node_open(&node, why_not))
		node.calls.close(node.calls.context);
	return node.finding.obstacle;
}

static bool
drm_probe(struct diag *why_not)
{
	return drm_obstacle(why_not) == USABLE;
}

static void *
drm_open(const char *words, unsigned *qpus, struct diag *why_not)
{
	struct drm_node node;
	bool chosen;

	if (!option_parse_words(drm_option_rows, &chosen, words, why_not) ||
	    !drm_node_open(&node, why_not))
		return NULL;
	return render_open(&node.calls, qpus, why_not);
}

/* Return true if a screen is on, whose frames the GPU may draw. The kernel
 * reports this for each connector, "card0-HDMI-A-1", even where systemd knows
 * no desktop. */
static bool
has_screen(void)
{
	static const char folder[] = "/sys/class/drm";
	const struct dirent *entry;
	bool found = false;
	DIR *dir = opendir(folder);

	while (dir && !found && (entry = readdir(dir)) != NULL) {
		char name[sizeof(folder) + sizeof(entry->d_name) + 16];
		char state[16];

		snprintf(name, sizeof(name), "%s/%s/enabled", folder,
			 entry->d_name);
		found = strchr(entry->d_name, '-') &&
			host_read(name, state, sizeof(state)) > 0 &&
			strcmp(state, "enabled\n") == 0;
	}
	if (dir)
		closedir(dir);
	return found;
}

unsigned
drm_queue_ms(void)
{
	enum { QUEUE_MS = 40, QUEUE_MS_BESIDE_SCREEN = 8 };

	return has_screen() ? QUEUE_MS_BESIDE_SCREEN : QUEUE_MS;
}

static void
drm_totals(void *self, struct device_totals *totals)
{
	render_totals(self, totals);
	totals->queue_ms = drm_queue_ms();
}

static void
drm_details(struct facts *facts)
{
	/* More than one board has had. */
	static const char *const paths[] = { "/dev/dri/renderD128",
					     "/dev/dri/renderD129",
					     "/dev/dri/renderD130" };
	const char *shown[] = { paths[0], NULL, NULL };
	struct drm_node node;
	const struct finding *finding = &node.finding;
	unsigned n = 1;

	drm_node_open(&node, NULL);
	if (finding->obstacle == NO_PI || finding->obstacle == OTHER_GPU)
		return;
	host_add_facts(facts, &node.host);
	if (finding->obstacle == USABLE) {
		facts_add_text(facts, "node", "node of the driver vc4",
			       finding->detail);
		facts_add_number(facts, "qpus", "QPUs", DEVICE_QPUS, 1, "");
		node.calls.close(node.calls.context);
	}
	for (size_t i = 1; i < sizeof(paths) / sizeof(*paths); i++)
		if (access(paths[i], F_OK) == 0)
			shown[n++] = paths[i];
	host_add_system(facts, shown, n, finding);
}

const struct way way_drm = { .kind = WAY_TILES,
			     .probe = drm_probe,
			     .open = drm_open,
			     .alloc = render_alloc,
			     .free = render_free,
			     .load = render_load_program,
			     .submit = render_submit,
			     .wait = render_wait,
			     .totals = drm_totals,
			     .details = drm_details,
			     .close = render_close };
