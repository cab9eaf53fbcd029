# mutation: do the tests notice?  The tool's own test is run by CI's step package.
EXTRA_DIST += %D%/mutation.bats \
	%D%/mutants.py \
	%D%/mutation.py \
	%D%/rooms

# Do the tests notice small mistakes?  ONLY is a room or a file, N how many
# mutants, SEED which ones, CHANGED a revision, ID one of those that were shown.
check-data: $(check_DATA)
mutation:
	@nice python3 $(srcdir)/%D%/mutation.py \
		--source='$(srcdir)' --build=mutation-build \
		--rooms='$(srcdir)/%D%/rooms' --make='$(MAKE)' \
		--only='$(ONLY)' --count='$(or $(N),20)' \
		--seed='$(or $(SEED),1)' --changed='$(CHANGED)' --id='$(ID)' \
		-- CC='$(CC)' LDFLAGS='$(LDFLAGS)'
.PHONY: check-data mutation
