/** A Windows drive, and the folder of this machine that has its files. */
export interface DriveMapping {
  /** In lower case: `c`. */
  readonly drive: string;
  readonly folder: string;
}

/**
 * Parses `files.driveMappings`: `C:=/mnt/c,D:=/data`, or `C:/app` for a drive that is mounted there.
 * Undefined if an entry is neither.
 */
export function parseDriveMappings(text: string): readonly DriveMapping[] | undefined {
  const mappings: DriveMapping[] = [];
  for (const entry of text.split(',')) {
    if (entry.trim() === '') continue;
    const [, drive, folder] = /^\s*([a-z]):\s*=?\s*(\/.*?)\/*\s*$/i.exec(entry) ?? [];
    if (drive === undefined || folder === undefined) return undefined;
    mappings.push({ drive: drive.toLowerCase(), folder: folder === '' ? '/' : folder });
  }
  return mappings;
}

const WSL_SHARE = /^\\\\(?:wsl\$|wsl\.localhost)\\[^\\]+(?=\\|$)/i;
const WSL_MOUNT = /^\/mnt\/([a-z])(?=\/|$)/i;
const WINDOWS_DRIVE = /^([a-z]):[\\/]/i;

/**
 * A path of Windows or WSL as this machine names it; undefined for any other path, and for a drive
 * that is not mapped. A path of WSL itself (`\\wsl$\Ubuntu\home\me`) is the same path here.
 */
export function mapDrivePath(path: string, mappings: readonly DriveMapping[]): string | undefined {
  if (mappings.length === 0) return undefined;
  const [share] = WSL_SHARE.exec(path) ?? [];
  if (share !== undefined) {
    const inner = path.slice(share.length).replaceAll('\\', '/');
    return mapDrivePath(inner, mappings) ?? (inner === '' ? '/' : inner);
  }
  const [head, drive] = WINDOWS_DRIVE.exec(path) ?? WSL_MOUNT.exec(path) ?? [];
  const mapping = mappings.find((each) => each.drive === drive?.toLowerCase());
  if (head === undefined || mapping === undefined) return undefined;
  const rest = path.slice(head.length).replaceAll('\\', '/').replace(/^\/+/, '');
  return mapping.folder === '/' ? `/${rest}` : `${mapping.folder}/${rest}`;
}
