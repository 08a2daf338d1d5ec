import { daemonState } from '#app/daemon/daemon-state.ts';
import { openInBrowser, type NotOpened } from '#app/page/open-in-browser.ts';
import { homePaths } from '#config/home/home.ts';
import { PAGE_METHODS, type PageLoggedOut, type PageOpened } from '#core/auth/page-login.ts';
import { CallError } from '#core/errors/call-error.ts';
import { defineCommand } from '../command.ts';
import { printJson, type Io } from '../io.ts';
import { runWithDaemon } from '../run-with-daemon.ts';

export const command = defineCommand({
  name: 'open',
  summary: 'Open the page of the daemon in a browser: providers, last calls, cost',
  about:
    'The browser is logged in by a code that works one time and for a minute. The code is posted: it is in no address and in no history. ' +
    'The login ends after 2 hours without use, after 12 hours, and when the daemon stops. It shows this page and allows nothing else.\n' +
    'Without a display, or with --print, the command prints the address and the code to enter there. The daemon is started if none runs.',
  options: {
    print: { type: 'boolean', help: 'Open no browser; print the address and the code' },
    logout: { type: 'boolean', help: 'Log out all browsers' },
  },
  async run({ options }, io) {
    if (options.logout && options.print) {
      throw new CallError('bad_request', '--logout and --print exclude each other.', {
        field: '--print',
        fix: 'Leave one of them out.',
      });
    }
    if (options.logout) {
      const { ended } = await logOut(io);
      if (options.json) return printJson(io, { ended });
      io.stdout.write(`${describeLogout(ended)}\n`);
      return;
    }
    const page = (await runWithDaemon(io, (daemon) =>
      daemon.request(PAGE_METHODS.open, {}),
    )) as PageOpened;
    const outcome = options.print ? 'asked' : await openInBrowser(page.file, io.env);
    const { url, loginUrl, code } = page;
    const expiresInS = Math.round(page.expiresInMs / 1000);
    if (options.json) {
      return printJson(io, { url, loginUrl, code, expiresInS, opened: outcome === 'opened' });
    }
    if (outcome === 'opened') {
      io.stdout.write(`Opening ${io.paint('bold', url)} in the browser.\n`);
      io.stderr.write(`If it does not appear: open ${loginUrl} and enter ${code}\n`);
      return;
    }
    if (outcome !== 'asked') io.stderr.write(`exai: ${NOT_OPENED[outcome]}\n`);
    if (outcome === 'remote') io.stderr.write(forwarding(url));
    io.stdout.write(
      `Open ${io.paint('bold', loginUrl)} in a browser on this machine and enter this code within ${expiresInS} seconds:\n  ${code}\n`,
    );
  },
});

function describeLogout(ended: number): string {
  if (ended === 0) return 'No browser was logged in.';
  return ended === 1 ? '1 browser is logged out.' : `${ended} browsers are logged out.`;
}

const NOT_OPENED: Readonly<Record<NotOpened, string>> = {
  no_display: 'There is no display, so no browser was opened.',
  remote: 'This is an SSH session, so no browser was opened.',
  no_program: 'No program that opens a browser was found on PATH.',
};

/** How a browser on the user's own machine reaches this one. */
function forwarding(url: string): string {
  const { port, hostname } = new URL(url);
  return `To use a browser on your own machine, run there first: ssh -L ${port}:${hostname}:${port} <this machine>\n`;
}

/** Sessions are in the memory of the daemon: without one there are none. */
async function logOut(io: Io): Promise<PageLoggedOut> {
  if (daemonState(homePaths(io.env)).is === 'absent') return { ended: 0 };
  return (await runWithDaemon(io, (daemon) => daemon.request(PAGE_METHODS.logout, {}), {
    autostart: 'off',
  })) as PageLoggedOut;
}
