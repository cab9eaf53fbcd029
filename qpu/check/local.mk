# check: make check-hardware, what people with a Pi run once; its report is
# sent back.  The program is built on request.
hwcheck_sources = \
	%D%/board_facts.c \
	%D%/launches.c \
	%D%/questions.h \
	%D%/rates.c \
	%D%/rig.c %D%/rig.h \
	%D%/tile_answers.c \
	%D%/tile_rig.c %D%/tile_rig.h \
	%D%/tile_times.c
%C%_qpu_hwcheck_SOURCES = %D%/hwcheck.c $(hwcheck_sources)
%C%_qpu_hwcheck_LDADD = $(QPU_LIBS) $(QPU_TOOLCHAIN) $(CPU_LIBS) \
	$(CRYPTO_LIBS) -lm
%D%/tile_answers.$(OBJEXT): qpu/sha/probe.words
EXTRA_PROGRAMS += %D%/qpu-hwcheck
EXTRA_DIST += %D%/README.md %D%/check-hardware.sh
if WITH_QPU
check_DATA += %D%/qpu-hwcheck$(EXEEXT)
endif

# Under sudo, files of the build belong to the user who called it.
DEVICE = qpu
hardware-programs: qpu-sha256sum$(EXEEXT) %D%/qpu-hwcheck$(EXEEXT)
check-hardware:
	@if [ "$$(id -u)" = 0 ] && [ -n "$$SUDO_USER" ]; then \
		sudo -u "$$SUDO_USER" $(MAKE) hardware-programs; \
	else \
		$(MAKE) hardware-programs; \
	fi
	@QPU_SHA256SUM='$(abs_builddir)/qpu-sha256sum$(EXEEXT)' \
	QPU_HWCHECK='$(abs_builddir)/%D%/qpu-hwcheck$(EXEEXT)' \
		bash $(srcdir)/%D%/check-hardware.sh '$(DEVICE)'
.PHONY: check-hardware hardware-programs
