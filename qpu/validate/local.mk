# validate: hazards that can be seen in code.
%C%_libvalidate_a_SOURCES = \
	%D%/checks.c %D%/checks.h \
	%D%/drm_rules.c %D%/drm.def %D%/drm_rules.h \
	%D%/validate.c %D%/validate.h
%C%_libvalidate_a_CFLAGS = $(PIC_CFLAGS)
