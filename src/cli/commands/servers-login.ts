import { openInBrowser, type NotOpened } from '#app/page/open-in-browser.ts';
import { systemClock } from '#app/system.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { LoginBegun, LoginProgress } from '#core/hub/upstream-login.ts';
import { defineCommand } from '../command.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { printJson, type Io } from '../io.ts';
import { listenForInterrupt } from '../interrupt.ts';
import { readPastedAnswer } from '../servers/read-pasted-answer.ts';
import { callLogin } from '../servers/servers.ts';

const MAX_TIMEOUT_S = 600;

export const command = defineCommand({
  name: 'servers login',
  summary: 'Log in to an MCP server that asks for it, in a browser (OAuth)',
  about:
    'The browser shows the login page of the server. Afterwards it is sent to the daemon on this machine, which keeps the tokens in a file ' +
    'that only you can read and refreshes them. The daemon is started if none runs.\n' +
    'If the browser runs on another machine (SSH), it ends at an address that it cannot open. Paste that address here, ' +
    'or give it in a second terminal with --answer.\n' +
    '  exai servers login linear\n' +
    '  exai servers login linear --no-browser\n' +
    "  exai servers login linear --answer 'http://127.0.0.1:8765/oauth/callback?code=…'",
  positionals: [{ name: 'name', need: 'required', help: 'As exai servers list tells it' }],
  options: {
    'no-browser': { type: 'boolean', help: 'Open no browser; print the address' },
    answer: {
      type: 'string',
      value: 'URL',
      help: 'The address to which the browser was sent after the login',
    },
    timeout: {
      type: 'string',
      value: 'S',
      help: `How long to wait, in seconds (default: ${MAX_TIMEOUT_S})`,
    },
  },
  async run({ options, positionals }, io) {
    const name = positionals['name'] ?? '';
    const timeoutS = parseTimeout(options.timeout);
    if (options.answer !== undefined) {
      const { server } = await callLogin(io, 'finish', { url: options.answer });
      return report(io, options.json, { is: 'done', server });
    }
    const login = await callLogin(io, 'begin', { name });
    await show(login, options['no-browser'] === true, io);
    report(io, options.json, await waitForEnd(login, timeoutS, io));
  },
});

type Ended = Extract<LoginProgress, { is: 'done' }>;

function report(io: Io, json: true | undefined, { server, tools }: Ended): void {
  if (json) return printJson(io, { loggedIn: server, ...(tools !== undefined && { tools }) });
  const count = tools === undefined ? '' : `, ${tools} ${tools === 1 ? 'tool' : 'tools'}`;
  io.stdout.write(`Logged in to ${escapeControls(server)}${count}.\n`);
}

/** All of it on stderr: with `--json`, stdout has the result alone. */
async function show(login: LoginBegun, isPrinted: boolean, io: Io): Promise<void> {
  const outcome = isPrinted ? 'asked' : await openInBrowser(login.url, io.env);
  if (outcome === 'opened') {
    io.stderr.write(
      `Opening ${new URL(login.url).host} in the browser. If it does not appear, open:\n`,
    );
  } else {
    if (outcome !== 'asked') io.stderr.write(`exai: ${NOT_OPENED[outcome]}\n`);
    io.stderr.write(`Open this address in a browser, and log in:\n`);
  }
  io.stderr.write(`  ${login.url}\n`);
  if (outcome === 'remote') io.stderr.write(forwarding(login.redirectUrl));
  io.stderr.write('Waiting for the login; Ctrl-C ends the wait.\n');
}

const NOT_OPENED: Readonly<Record<NotOpened, string>> = {
  no_display: 'There is no display, so no browser was opened.',
  remote: 'This is an SSH session, so no browser was opened.',
  no_program: 'No program that opens a browser was found on PATH.',
};

/** How a browser on the user's own machine reaches the daemon. */
function forwarding(redirectUrl: string): string {
  const { port, hostname } = new URL(redirectUrl);
  return (
    `For a browser on your own machine, run there first: ssh -L ${port}:${hostname}:${port} <this machine>\n` +
    'Or paste here the address that the browser cannot open after the login.\n'
  );
}

/** Asks the daemon again and again; meanwhile the user may paste the address. */
async function waitForEnd({ id, server }: LoginBegun, timeoutS: number, io: Io): Promise<Ended> {
  const interrupt = listenForInterrupt(io.signal);
  const pasted = readPastedAnswer(process.stdin, interrupt.signal, async (url) => {
    await callLogin(io, 'finish', { url }).catch((thrown: unknown) => {
      const { message, fix = '' } = CallError.from(thrown);
      io.stderr.write(`exai: ${message} ${fix}\n`);
    });
  });
  try {
    const end = systemClock.monotonic() + timeoutS * 1_000;
    while (systemClock.monotonic() < end) {
      if (interrupt.signal.aborted) throw new CallError('cancelled', 'The wait was ended.');
      const progress = await callLogin(io, 'wait', { id, timeoutMs: WAIT_MS });
      if (progress.is === 'done') return progress;
      if (progress.is === 'failed') {
        const { message, fix } = progress;
        throw new CallError(progress.class, message, { ...(fix !== undefined && { fix }) });
      }
    }
    throw new CallError('timeout', `The login was not finished within ${timeoutS} seconds.`, {
      fix: `Begin again with: exai servers login ${server}`,
    });
  } finally {
    interrupt.stop();
    pasted.stop();
  }
}

/** Short enough that Ctrl-C and the timeout are noticed. */
const WAIT_MS = 2_000;

function parseTimeout(text: string | undefined): number {
  if (text === undefined) return MAX_TIMEOUT_S;
  const seconds = Number(text);
  if (/^\d{1,3}$/.test(text) && seconds >= 1 && seconds <= MAX_TIMEOUT_S) return seconds;
  throw new CallError('bad_request', `--timeout must be 1 to ${MAX_TIMEOUT_S} seconds.`, {
    field: '--timeout',
    fix: 'Example: --timeout 120',
  });
}
