/* Simulates a disk that loses its power, for LD_PRELOAD.
 *
 * Power loss: with SHADOW_FROM (a folder, real path) and SHADOW_TO, SHADOW_TO has the durable content of the files directly in
 * SHADOW_FROM. A write makes its pages dirty. A successful fsync or fdatasync of a file copies its dirty pages and its length to
 * SHADOW_TO and makes them clean: only this survives. A kill in the middle of a sync leaves some of the pages.
 * SHADOW_TO/.pages-<name> lists the dirty pages and outlives the process, as the page cache of a system does.
 * A name is durable only when the folder was synced after the file was made. SHADOW_TO/.names then lists the names in the folder,
 * so files made later are lost and files removed later come back.
 *
 * SYNC_FAILS=path: while that file exists, syncs of files in SHADOW_FROM fail with EIO; when it is not empty, only of files
 * whose names end with the text in it. As on Linux, the dirty pages are then clean but not on the disk: the next sync
 * succeeds without them, and they reach the disk only when they are written again.
 * SHADOW_LIE=1: a sync answers success and copies nothing. A suite that then sees no loss would not see a real one either.
 * SYNC_DELAY_US: each sync takes this much longer. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static void give_up(const char *what) {
  perror(what);
  _exit(97);
}

typedef ssize_t (*pwrite_function)(int, const void *, size_t, off_t);
typedef int (*ftruncate_function)(int, off_t);

static pwrite_function pwrite_of(void) {
  static pwrite_function real;
  if (real == NULL) real = (pwrite_function)dlsym(RTLD_NEXT, "pwrite");
  return real;
}

static ftruncate_function ftruncate_of(void) {
  static ftruncate_function real;
  if (real == NULL) real = (ftruncate_function)dlsym(RTLD_NEXT, "ftruncate");
  return real;
}

#define PAGE 4096
/* The most pages of a file: 4 GiB. */
#define PAGES (1 << 20)

/* One octet for each page: whether it was written since the last sync. */
struct pages {
  uint64_t inode;
  uint8_t is_dirty[PAGES];
};

static struct pages *open_pages(const char *path, ino_t inode) {
  char name[4400];
  snprintf(name, sizeof name, "%s/.pages-%s", getenv("SHADOW_TO"), strrchr(path, '/') + 1);
  int map = open(name, O_RDWR | O_CREAT, 0600);
  if (map < 0 || ftruncate_of()(map, sizeof(struct pages)) != 0) give_up("disk-shim: pages");
  struct pages *pages = mmap(NULL, sizeof *pages, PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);
  if (pages == MAP_FAILED) give_up("disk-shim: mmap");
  close(map);
  /* Another file has this name now, so all its pages count as dirty. For a name that is seen first, no page does. */
  if (pages->inode != inode) {
    if (pages->inode != 0) memset(pages->is_dirty, 1, PAGES);
    pages->inode = inode;
  }
  return pages;
}

/* Copies the dirty pages and the length to the durable file. */
static void copy_dirty(int descriptor, struct pages *pages, const char *to, off_t size) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
  int in = open(path, O_RDONLY), out = open(to, O_WRONLY | O_CREAT, 0600);
  if (in < 0 || out < 0) give_up("disk-shim: open");
  static char buffer[PAGE];
  for (off_t page = 0; page * PAGE < size; page++) {
    if (page >= PAGES) give_up("disk-shim: a file is too large");
    if (!pages->is_dirty[page]) continue;
    ssize_t got = pread(in, buffer, PAGE, page * PAGE);
    if (got < 0 || pwrite_of()(out, buffer, got, page * PAGE) != got) give_up("disk-shim: copy");
    pages->is_dirty[page] = 0;
  }
  if (ftruncate_of()(out, size) != 0) give_up("disk-shim: truncate");
  close(in);
  close(out);
}

static void list_names(const char *folder, const char *to) {
  char part[4300], name[4300];
  snprintf(part, sizeof part, "%s/.names.part", to);
  snprintf(name, sizeof name, "%s/.names", to);
  FILE *out = fopen(part, "w");
  DIR *open_folder = opendir(folder);
  if (out == NULL || open_folder == NULL) give_up("disk-shim: names");
  for (struct dirent *entry; (entry = readdir(open_folder)) != NULL;)
    if (entry->d_type == DT_REG) fprintf(out, "%s\n", entry->d_name);
  closedir(open_folder);
  fclose(out);
  if (rename(part, name) != 0) give_up("disk-shim: rename");
}

/* Whether the descriptor is SHADOW_FROM itself or a file directly in it. Gives its path. */
static int is_watched(int descriptor, char *path, size_t size) {
  const char *from = getenv("SHADOW_FROM");
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, size - 1);
  if (from == NULL || length <= 0) return 0;
  path[length] = 0;
  size_t prefix = strlen(from);
  if (strncmp(path, from, prefix) != 0) return 0;
  return path[prefix] == 0 || (path[prefix] == '/' && strchr(path + prefix + 1, '/') == NULL);
}

static int fails(const char *path) {
  const char *switch_file = getenv("SYNC_FAILS");
  int file = switch_file == NULL ? -1 : open(switch_file, O_RDONLY);
  if (file < 0) return 0;
  char ending[256];
  ssize_t length = read(file, ending, sizeof ending);
  close(file);
  size_t whole = strlen(path);
  return length >= 0 && whole >= (size_t)length && memcmp(path + whole - length, ending, length) == 0;
}

static int synced(int descriptor, int (*sync)(int)) {
  char path[4096], to[4300];
  const char *delay = getenv("SYNC_DELAY_US");
  const char *shadow = getenv("SHADOW_TO"), *lie = getenv("SHADOW_LIE");
  int watched = is_watched(descriptor, path, sizeof path) && shadow != NULL;
  if (delay != NULL) {
    long us = atol(delay);
    struct timespec pause = {us / 1000000, (us % 1000000) * 1000};
    nanosleep(&pause, NULL);
  }
  if (!watched) return sync(descriptor);
  struct stat status;
  if (fstat(descriptor, &status) != 0) give_up("disk-shim: stat");
  int is_failing = fails(path);
  int result = is_failing ? -1 : sync(descriptor);
  int kept = is_failing ? EIO : errno;
  if (lie != NULL || (result != 0 && !is_failing)) return result;
  pthread_mutex_lock(&turn);
  if (S_ISDIR(status.st_mode)) {
    if (!is_failing) list_names(path, shadow);
  } else {
    struct pages *pages = open_pages(path, status.st_ino);
    if (is_failing) memset(pages->is_dirty, 0, PAGES);
    else {
      snprintf(to, sizeof to, "%s/%s", shadow, strrchr(path, '/') + 1);
      copy_dirty(descriptor, pages, to, status.st_size);
    }
    munmap(pages, sizeof *pages);
  }
  pthread_mutex_unlock(&turn);
  errno = kept;
  return result;
}

/* Marks pages before the write itself: a dirty page that was not written after all is copied unchanged. */
static void write_at(int descriptor, off_t offset, size_t size) {
  char path[4096];
  struct stat status;
  if (getenv("SHADOW_TO") == NULL || !is_watched(descriptor, path, sizeof path)) return;
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode) || size == 0) return;
  if (offset < 0) offset = lseek(descriptor, 0, SEEK_CUR);
  if (fcntl(descriptor, F_GETFL) & O_APPEND) offset = status.st_size;
  off_t last = (offset + size - 1) / PAGE;
  if (last >= PAGES) give_up("disk-shim: a file is too large");
  pthread_mutex_lock(&turn);
  struct pages *pages = open_pages(path, status.st_ino);
  memset(pages->is_dirty + offset / PAGE, 1, last - offset / PAGE + 1);
  munmap(pages, sizeof *pages);
  pthread_mutex_unlock(&turn);
}

#define REAL(type, name, ...)                                            \
  static type (*real)(__VA_ARGS__);                                      \
  if (real == NULL) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

int fsync(int descriptor) {
  REAL(int, "fsync", int);
  return synced(descriptor, real);
}

int fdatasync(int descriptor) {
  REAL(int, "fdatasync", int);
  return synced(descriptor, real);
}

ssize_t write(int descriptor, const void *octets, size_t size) {
  REAL(ssize_t, "write", int, const void *, size_t);
  write_at(descriptor, -1, size);
  return real(descriptor, octets, size);
}

ssize_t pwrite(int descriptor, const void *octets, size_t size, off_t offset) {
  write_at(descriptor, offset, size);
  return pwrite_of()(descriptor, octets, size, offset);
}

ssize_t pwrite64(int descriptor, const void *octets, size_t size, off64_t offset) {
  write_at(descriptor, offset, size);
  return pwrite_of()(descriptor, octets, size, offset);
}

static size_t sum(const struct iovec *pieces, int count) {
  size_t size = 0;
  for (int piece = 0; piece < count; piece++) size += pieces[piece].iov_len;
  return size;
}

ssize_t writev(int descriptor, const struct iovec *pieces, int count) {
  REAL(ssize_t, "writev", int, const struct iovec *, int);
  write_at(descriptor, -1, sum(pieces, count));
  return real(descriptor, pieces, count);
}

ssize_t pwritev(int descriptor, const struct iovec *pieces, int count, off_t offset) {
  REAL(ssize_t, "pwritev", int, const struct iovec *, int, off_t);
  write_at(descriptor, offset, sum(pieces, count));
  return real(descriptor, pieces, count, offset);
}

ssize_t pwritev64(int descriptor, const struct iovec *pieces, int count, off64_t offset) {
  REAL(ssize_t, "pwritev64", int, const struct iovec *, int, off64_t);
  write_at(descriptor, offset, sum(pieces, count));
  return real(descriptor, pieces, count, offset);
}

static void cut(int descriptor, off_t size) {
  struct stat status;
  if (fstat(descriptor, &status) == 0 && size > status.st_size)
    write_at(descriptor, status.st_size, size - status.st_size);
}

int ftruncate(int descriptor, off_t size) {
  cut(descriptor, size);
  return ftruncate_of()(descriptor, size);
}

int ftruncate64(int descriptor, off64_t size) {
  cut(descriptor, size);
  return ftruncate_of()(descriptor, size);
}
