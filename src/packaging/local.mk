# packaging: what is installed beside the programs, and packages for Debian.

# Completion of options and their values, for three shells.
tools_bashcompletion = \
	src/completion/bash/qpuasm \
	src/completion/bash/qpudis \
	src/completion/bash/qpurun
tools_zshcompletion = \
	src/completion/zsh/_qpuasm \
	src/completion/zsh/_qpudis \
	src/completion/zsh/_qpurun
tools_fishcompletion = \
	src/completion/fish/qpuasm.fish \
	src/completion/fish/qpudis.fish \
	src/completion/fish/qpurun.fish
qpuemu_bashcompletion = src/completion/bash/qpuemu
qpuemu_zshcompletion = src/completion/zsh/_qpuemu
qpuemu_fishcompletion = src/completion/fish/qpuemu.fish
dist_bashcompletion_DATA = src/completion/bash/qpu-sha256sum
dist_zshcompletion_DATA = src/completion/zsh/_qpu-sha256sum
dist_fishcompletion_DATA = src/completion/fish/qpu-sha256sum.fish
EXTRA_DIST += \
	$(tools_bashcompletion) $(qpuemu_bashcompletion) \
	$(tools_zshcompletion) $(qpuemu_zshcompletion) \
	$(tools_fishcompletion) $(qpuemu_fishcompletion)
bashcompletion_DATA =
zshcompletion_DATA =
fishcompletion_DATA =
if WITH_TOOLS
bashcompletion_DATA += $(tools_bashcompletion)
zshcompletion_DATA += $(tools_zshcompletion)
fishcompletion_DATA += $(tools_fishcompletion)
endif
if WITH_QPUEMU
bashcompletion_DATA += $(qpuemu_bashcompletion)
zshcompletion_DATA += $(qpuemu_zshcompletion)
fishcompletion_DATA += $(qpuemu_fishcompletion)
endif

dist_doc_DATA += NEWS README.md SECURITY.md
EXTRA_DIST += %D%/90-vcio.rules
if WITH_QPU
vciorulesdir = $(docdir)/examples
vciorules_DATA = %D%/90-vcio.rules
endif

# make dist: the same sources make the same tarball, byte for byte, in every
# configuration.  All files are as old as the last commit; a tree that was
# unpacked from a tarball keeps the date that NEWS has there.  GNU tar only.
source_date = $${SOURCE_DATE_EPOCH:-$$( \
	{ test -e $(srcdir)/.git && \
		git -C $(srcdir) log -1 --format=%ct 2>/dev/null; } || \
	date -r $(srcdir)/NEWS +%s)}
am__tar = $${TAR-tar} --format=ustar --sort=name --mtime="@$(source_date)" \
	--owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
	-chf - "$$tardir"
GZIP_ENV = -9n

# make deb: packages for Debian; with DEB_HOST_ARCH=arm64 for another machine.
EXTRA_DIST += \
	%D%/make-deb %D%/sysroot \
	%D%/debian/README.Debian \
	%D%/debian/changelog \
	%D%/debian/control \
	%D%/debian/copyright \
	%D%/debian/qpu-sha256sum.install \
	%D%/debian/qpu-tools.install \
	%D%/debian/rules \
	%D%/debian/source/format
deb: dist-gzip
	DEB_HOST_ARCH=$(DEB_HOST_ARCH) \
		bash $(srcdir)/%D%/make-deb $(distdir).tar.gz .
.PHONY: deb
distclean-local:
	-rm -rf qpu-sha256sum_*.deb qpu-tools_*.deb sysroot-* check-arm \
		mutation-build
