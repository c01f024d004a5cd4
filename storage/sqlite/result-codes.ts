/** What each result code of SQLite is about (https://www.sqlite.org/rescode.html). */
import Database from "better-sqlite3";

const codesOf = {
  /** A file had no room on the disk. */
  room: "FULL IOERR_SHMSIZE IOERR_SHMOPEN",
  /** Pages may be marked as written although they are not: the state of the disk is unknown. */
  sync: "IOERR_FSYNC IOERR_DIR_FSYNC IOERR_TRUNCATE IOERR_CLOSE",
  /** Memory, rights, locks and open files. */
  machine:
    "BUSY BUSY_RECOVERY BUSY_SNAPSHOT LOCKED LOCKED_SHAREDCACHE LOCKED_VTAB NOMEM INTERRUPT PROTOCOL PERM AUTH AUTH_USER NOLFS " +
    "READONLY READONLY_CANTINIT READONLY_CANTLOCK READONLY_DBMOVED READONLY_DIRECTORY READONLY_RECOVERY READONLY_ROLLBACK " +
    "CANTOPEN CANTOPEN_CONVPATH CANTOPEN_DIRTYWAL CANTOPEN_FULLPATH CANTOPEN_ISDIR CANTOPEN_NOTEMPDIR CANTOPEN_SYMLINK " +
    "IOERR_NOMEM IOERR_ACCESS IOERR_AUTH IOERR_BLOCKED IOERR_CHECKRESERVEDLOCK IOERR_CONVPATH IOERR_GETTEMPPATH IOERR_LOCK IOERR_MMAP " +
    "IOERR_RDLOCK IOERR_SHMLOCK IOERR_SHMMAP IOERR_UNLOCK",
  /** The octets of a file could not be read or written. */
  disk:
    "IOERR IOERR_BEGIN_ATOMIC IOERR_COMMIT_ATOMIC IOERR_CORRUPTFS IOERR_DATA IOERR_DELETE IOERR_DELETE_NOENT IOERR_DIR_CLOSE IOERR_FSTAT " +
    "IOERR_IN_PAGE IOERR_READ IOERR_ROLLBACK_ATOMIC IOERR_SEEK IOERR_SHORT_READ IOERR_VNODE IOERR_WRITE",
  /** The file says what no database says. */
  file: "CORRUPT CORRUPT_INDEX CORRUPT_SEQUENCE CORRUPT_VTAB NOTADB FORMAT EMPTY",
  /** The statement, or no error. */
  program:
    "ABORT ABORT_ROLLBACK ERROR ERROR_MISSING_COLLSEQ ERROR_RETRY ERROR_SNAPSHOT INTERNAL MISMATCH MISUSE NOTFOUND RANGE SCHEMA TOOBIG " +
    "CONSTRAINT CONSTRAINT_CHECK CONSTRAINT_COMMITHOOK CONSTRAINT_DATATYPE CONSTRAINT_FOREIGNKEY CONSTRAINT_FUNCTION CONSTRAINT_NOTNULL " +
    "CONSTRAINT_PINNED CONSTRAINT_PRIMARYKEY CONSTRAINT_ROWID CONSTRAINT_TRIGGER CONSTRAINT_UNIQUE CONSTRAINT_VTAB " +
    "OK OK_LOAD_PERMANENTLY OK_SYMLINK ROW DONE NOTICE NOTICE_RBU NOTICE_RECOVER_ROLLBACK NOTICE_RECOVER_WAL WARNING WARNING_AUTOINDEX",
} as const;
export type FaultKind = keyof typeof codesOf;

export const kindOfCode: ReadonlyMap<string, FaultKind> = new Map(
  (Object.keys(codesOf) as FaultKind[]).flatMap((kind) =>
    codesOf[kind].split(" ").map((code) => [`SQLITE_${code}`, kind] as const),
  ),
);

/** undefined for what is no error of SQLite. */
export function faultKind(error: unknown): FaultKind | undefined {
  return error instanceof Database.SqliteError ? (kindOfCode.get(error.code) ?? "program") : undefined;
}

/** The machine has no room, memory or rights for it now. What the database says is as good as before. */
export function isOfMachine(error: unknown): boolean {
  const kind = faultKind(error);
  return kind === "room" || kind === "machine";
}
