# packaging: what is installed beside the programs, and packages for Debian.

# Completion: one script for each shell, which asks the programs.
completed = qpu-sha256sum
if WITH_TOOLS
completed += qpuasm qpudis qpurun
endif
if WITH_QPUEMU
completed += qpuemu
endif
bashcompletion_DATA = $(completed:%=src/completion/bash/%)
zshcompletion_DATA = $(completed:%=src/completion/zsh/_%)
fishcompletion_DATA = $(completed:%=src/completion/fish/%.fish)
completion_scripts = src/completion/complete.bash src/completion/complete.zsh \
	src/completion/complete.fish
EXTRA_DIST += $(completion_scripts)
CLEANFILES += $(bashcompletion_DATA) $(zshcompletion_DATA) \
	$(fishcompletion_DATA)
src/completion/bash/%: src/completion/complete.bash
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)sed 's/@PROGRAM@/$*/' $< > $@
src/completion/zsh/_%: src/completion/complete.zsh
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)sed 's/@PROGRAM@/$*/' $< > $@
src/completion/fish/%.fish: src/completion/complete.fish
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)sed 's/@PROGRAM@/$*/' $< > $@

# An installed README has no links to files of the source tree.
doc_DATA = %D%/README.md
dist_doc_DATA += LICENSE NEWS SECURITY.md
EXTRA_DIST += README.md
CLEANFILES += $(doc_DATA)
%D%/README.md: README.md
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)sed -e '/^!\[/{N;d;}' -e 's/\[\([^]]*\)\]([^):]*)/\1/g' \
		$(srcdir)/README.md > $@

# Public libraries: a room adds to libraryexec_PROGRAMS the shared one,
# libNAME.so.1.0.0, whose soname is libNAME.so.1, and to libraryexec_DATA the
# static one; both have the names of the public header only.
libraryexecdir = $(libdir)
library_examplesdir = $(docdir)/examples
pkgconfigdir = $(libdir)/pkgconfig
shared_flags = -shared
if !SANITIZED
shared_flags += -Wl,-z,defs
endif
STATIC_LIBRARY = $(CC) $(RELOCATABLE) -nostdlib -o $(@:.a=.o) $^ && \
	$(OBJCOPY) -w -G '$(PUBLIC_NAMES)' --localize-hidden $(@:.a=.o) && \
	rm -f $@ && \
	$(AR) $(ARFLAGS) $@ $(@:.a=.o) && $(RANLIB) $@ && rm $(@:.a=.o)
CLEANFILES += $(libraryexec_DATA)

# make install prefix=... may name another prefix than configure did, so files
# of pkg-config are written now.
if WITH_LIBRARIES
install-exec-hook:
	@cd '$(DESTDIR)$(libdir)' && for library in $(libraryexec_PROGRAMS); do \
		ln -sf $$library $${library%.0.0} && \
		ln -sf $$library $${library%.1.0.0} || exit; \
	done
	@umask 022 && $(MKDIR_P) '$(DESTDIR)$(pkgconfigdir)'
	@umask 022; for file in $(pkgconfig_files); do \
		name=$${file##*/} && \
		sed -e 's|[@]prefix@|$(prefix)|' \
			-e 's|[@]libdir@|$(libdir)|' \
			-e 's|[@]includedir@|$(includedir)|' \
			-e 's|[@]VERSION@|$(VERSION)|' $(srcdir)/$$file \
			> '$(DESTDIR)$(pkgconfigdir)'/$${name%.in} || exit; \
	done
endif

# Directories of this package alone, from the inner to the outer ones.
uninstall-hook:
	for file in $(libraryexec_PROGRAMS) $(pkgconfig_files); do \
		name=$${file##*/}; \
		rm -f '$(DESTDIR)$(libdir)'/$${name%.0.0} \
			'$(DESTDIR)$(libdir)'/$${name%.1.0.0} \
			'$(DESTDIR)$(pkgconfigdir)'/$${name%.in}; \
	done
	for dir in '$(docdir)/examples' '$(docdir)' '$(schemadir)' \
		'$(pkglibdir)'; do \
		test ! -d "$(DESTDIR)$$dir" || \
			rmdir "$(DESTDIR)$$dir" 2>/dev/null || :; \
	done
EXTRA_DIST += %D%/90-vcio.rules %D%/qpu-sha256sum.spec
if WITH_QPU
vciorulesdir = $(docdir)/examples
vciorules_DATA = %D%/90-vcio.rules
endif

if WITH_QPUEMU
# automake's rule enters the directory, which the hook may have removed before.
uninstall_preload = uninstall-preloadPROGRAMS
$(uninstall_preload): directory-to-enter
directory-to-enter:
	@$(MKDIR_P) '$(DESTDIR)$(pkglibdir)'
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
EXTRA_DIST += %D%/make-deb %D%/sysroot %D%/debian
deb: dist-gzip
	DEB_HOST_ARCH=$(DEB_HOST_ARCH) \
		bash $(srcdir)/%D%/make-deb $(distdir).tar.gz .
.PHONY: deb
distclean-local:
	-rm -rf qpu-sha256sum_*.deb qpu-tools_*.deb lib*_*.deb sysroot-* check-arm \
		mutation-build
