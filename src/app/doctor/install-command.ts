import { readIfThere } from '../read-if-there.ts';

/** The package manager of a family of systems; families by the ID and ID_LIKE of os-release. */
const MANAGERS = [
  { ids: ['debian', 'ubuntu'], install: 'sudo apt-get install' },
  { ids: ['fedora', 'rhel', 'centos'], install: 'sudo dnf install' },
  { ids: ['arch'], install: 'sudo pacman -S' },
  { ids: ['alpine'], install: 'apk add' },
  { ids: ['suse', 'opensuse'], install: 'sudo zypper install' },
  { ids: ['darwin'], install: 'brew install' },
  { ids: ['win32'], install: 'winget install' },
] as const;

/** How a user of this machine installs a package, or nothing when that is unknown. */
export function installCommand(
  packageName: string,
  system: readonly string[] = systemIds(),
): string | undefined {
  const manager = MANAGERS.find(({ ids }) => ids.some((id) => system.includes(id)));
  return manager && `${manager.install} ${packageName}`;
}

function systemIds(): string[] {
  if (process.platform !== 'linux') return [process.platform];
  const release = readIfThere('/etc/os-release') ?? '';
  return [...release.matchAll(/^ID(?:_LIKE)?="?([^"\n]*)"?$/gm)].flatMap(([, ids = '']) =>
    ids.split(' '),
  );
}
