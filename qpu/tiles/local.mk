# tiles: SHA-256 on a tile device.
noinst_HEADERS += %D%/engine_tiles.h
