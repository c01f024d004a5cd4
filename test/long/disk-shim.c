/* A disk that can be pulled out, for LD_PRELOAD.
 *
 * Power loss: with SHADOW_FROM (a folder, real path) and SHADOW_TO, what a successful fsync or fdatasync of a file directly in
 * SHADOW_FROM saw is copied to SHADOW_TO: that, and nothing else, is what survives. A name is durable only once the folder
 * itself was synced after the file was made: SHADOW_TO/.names then lists the names of that moment, so that files made later
 * are lost and files removed later come back.
 *
 * SHADOW_LIE=1: a sync answers success and copies nothing. A suite that sees no loss with it does not look.
 * SYNC_FAILS=path: while that file exists, syncs of files in SHADOW_FROM fail with EIO.
 * SYNC_DELAY_US: each sync takes so much longer. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static void give_up(const char *what) {
  perror(what);
  _exit(97);
}

/* Atomic: a process that is killed inside leaves the copy of the sync before. */
static void copy_file(const char *from, const char *to) {
  char part[4300];
  snprintf(part, sizeof part, "%s.part", to);
  int in = open(from, O_RDONLY), out = open(part, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (in < 0 || out < 0) give_up("disk-shim: open");
  static char buffer[1 << 18];
  for (ssize_t got; (got = read(in, buffer, sizeof buffer)) != 0;)
    if (got < 0 || write(out, buffer, got) != got) give_up("disk-shim: copy");
  close(in);
  close(out);
  if (rename(part, to) != 0) give_up("disk-shim: rename");
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

/* The path behind a descriptor, when it is SHADOW_FROM or directly in it. */
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

static int synced(int descriptor, int (*sync)(int)) {
  char path[4096], to[4300];
  const char *delay = getenv("SYNC_DELAY_US"), *fails = getenv("SYNC_FAILS");
  const char *shadow = getenv("SHADOW_TO"), *lie = getenv("SHADOW_LIE");
  int watched = is_watched(descriptor, path, sizeof path);
  if (watched && fails != NULL && access(fails, F_OK) == 0) {
    errno = EIO;
    return -1;
  }
  if (delay != NULL) {
    long us = atol(delay);
    struct timespec pause = {us / 1000000, (us % 1000000) * 1000};
    nanosleep(&pause, NULL);
  }
  int result = sync(descriptor);
  if (result != 0 || !watched || shadow == NULL || lie != NULL) return result;
  int kept = errno;
  pthread_mutex_lock(&turn);
  struct stat status;
  if (fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) list_names(path, shadow);
  else {
    snprintf(to, sizeof to, "%s/%s", shadow, strrchr(path, '/') + 1);
    copy_file(path, to);
  }
  pthread_mutex_unlock(&turn);
  errno = kept;
  return result;
}

int fsync(int descriptor) {
  static int (*real)(int);
  if (real == NULL) real = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  return synced(descriptor, real);
}

int fdatasync(int descriptor) {
  static int (*real)(int);
  if (real == NULL) real = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  return synced(descriptor, real);
}
