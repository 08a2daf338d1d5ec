import { spawn, type ChildProcess } from 'node:child_process';
import { variable, type Environment } from '#config/environment.ts';
import { findProgram, searchFolders } from '#programs/find-program.ts';
import { programEnv } from '#programs/program-env.ts';

/** Why no browser was opened. `remote`: the terminal is on another machine, by SSH. */
export type NotOpened = 'no_display' | 'remote' | 'no_program';

/** The variables that desktops and browsers need. Keys and tokens are not passed on. */
const PASSED = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'LANG',
  'LC_ALL',
  'BROWSER',
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XAUTHORITY',
  'XDG_CONFIG_HOME',
  'XDG_CURRENT_DESKTOP',
  'XDG_DATA_DIRS',
  'XDG_DATA_HOME',
  'XDG_RUNTIME_DIR',
  'XDG_SESSION_TYPE',
  'DBUS_SESSION_BUS_ADDRESS',
  'DESKTOP_SESSION',
  'KDE_FULL_SESSION',
  'KDE_SESSION_VERSION',
  'SystemRoot',
  'USERPROFILE',
  'APPDATA',
  'LOCALAPPDATA',
  'TEMP',
] as const;

/** The program that opens a file with the browser, and its arguments before the file. */
function openerOf(platform: NodeJS.Platform): { readonly name: string; readonly args: string[] } {
  if (platform === 'darwin') return { name: 'open', args: [] };
  if (platform === 'win32') return { name: 'rundll32', args: ['url.dll,FileProtocolHandler'] };
  return { name: 'xdg-open', args: [] };
}

/**
 * Opens a file in the user's browser and does not wait for it: a browser may run until it is
 * closed, longer than this process.
 */
export async function openInBrowser(
  file: string,
  env: Environment,
  platform: NodeJS.Platform = process.platform,
): Promise<'opened' | NotOpened> {
  const hasDisplay = ['DISPLAY', 'WAYLAND_DISPLAY'].some((name) => variable(env, name));
  if (platform !== 'win32' && platform !== 'darwin' && !hasDisplay)
    return variable(env, 'SSH_CONNECTION') ? 'remote' : 'no_display';
  if (platform === 'darwin' && variable(env, 'SSH_CONNECTION')) return 'remote';
  const { name, args } = openerOf(platform);
  const folders = searchFolders(variable(env, 'PATH') ?? '');
  const program = await findProgram({ names: [name], folders });
  if (program === undefined) return 'no_program';
  const options = {
    detached: true,
    stdio: 'ignore',
    windowsHide: true,
    env: programEnv(env, PASSED, {}),
  } as const;
  return new Promise((resolve) => {
    let child: ChildProcess;
    try {
      child = spawn(program, [...args, file], options);
    } catch {
      // The system refuses some at once, such as one with arguments that are too long.
      return resolve('no_program');
    }
    child.once('error', () => resolve('no_program'));
    child.once('spawn', () => {
      child.unref();
      resolve('opened');
    });
  });
}
