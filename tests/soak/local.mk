# soak: the program against sha256sum, at random; see soak.bash.
#
#	make soak [RUNS=200] [SEED=1] [SOAK_DEVICE=emulator]
RUNS = 200
SEED = 1
SOAK_DEVICE =
soak: qpu-sha256sum$(EXEEXT)
	@QPU_SHA256SUM='$(abs_top_builddir)/qpu-sha256sum$(EXEEXT)' \
	RUNS='$(RUNS)' SEED='$(SEED)' SOAK_DEVICE='$(SOAK_DEVICE)' \
		bash $(srcdir)/%D%/soak.bash
.PHONY: soak
EXTRA_DIST += %D%/soak.bash
