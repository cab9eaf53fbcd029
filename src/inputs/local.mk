# inputs: operands, trees, check lists -> jobs.
%C%_libinputs_a_SOURCES = \
	%D%/check_source.c %D%/check_source.h \
	%D%/checklist.c %D%/checklist.h \
	%D%/directory.c %D%/directory.h \
	%D%/hard_links.c %D%/hard_links.h \
	%D%/hash_source.c %D%/hash_source.h \
	%D%/input_options.h \
	%D%/list_cause.c %D%/list_cause.h \
	%D%/list_file.c %D%/list_file.h \
	%D%/list_index.c %D%/list_index.h \
	%D%/list_moves.c %D%/list_moves.h \
	%D%/list_outcome.c %D%/list_outcome.h \
	%D%/list_rows.c %D%/list_rows.h \
	%D%/name_set.c %D%/name_set.h \
	%D%/names.c %D%/names.h \
	%D%/note.h \
	%D%/records.c %D%/records.h \
	%D%/survey.c %D%/survey.h \
	%D%/tree.c %D%/tree.h \
	%D%/unlisted.c %D%/unlisted.h \
	%D%/update.c %D%/update.h \
	%D%/walkers.c %D%/walkers.h
