import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { startEmulator } from '../../emulator/start.ts';
import { BIN, createHome } from './exai.ts';
import { verifies } from '../verifies.ts';

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';

/** A daemon whose vendors are the emulator, with its environment. */
async function emulated() {
  const emulator = await startEmulator();
  onTestFinished(() => emulator.close());
  const home = createHome();
  const env = {
    KIMI_API_URL: `${emulator.url}/kimi/v1`,
    KIMI_API_KEY: 'sk-emulated-kimi-0001',
    GLM_API_URL: `${emulator.url}/glm/api/paas/v4`,
    GLM_API_KEY: 'emulated.secret0002',
  };
  const serve = () => home.serve([], { env });
  return { ...home, emulator, serve, daemon: await serve() };
}

/** `exai chat` in a pseudo terminal of util-linux, with scripted input. */
function chatAt(root: string, args: readonly string[] = []) {
  const words = [process.execPath, BIN, 'chat', ...args].map((word) => `'${word}'`);
  // The output after it shows the state of the terminal.
  const started = `sh -c 'echo pid $$; exec "$@"' sh ${words.join(' ')}`;
  const command = `stty cols 100 rows 40; ${started}; echo "left with $?"; stty -a`;
  const child = spawn('script', ['-qfc', command, '/dev/null'], {
    cwd: root,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: '/nonexistent',
      EXAI_HOME: root,
      EXAI_AUTOSTART: 'off',
      TERM: 'xterm',
      LANG: 'C.UTF-8',
      SHELL: '/bin/sh',
    },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let screen = '';
  let read = 0;
  let look: () => void = () => undefined;
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (chunk: string) => {
    screen += chunk;
    look();
  });
  return {
    type: (keys: string) => void child.stdin.write(keys),
    raw: () => screen,
    /** Reads until this text appears; returns everything read. */
    until: (shape: RegExp) =>
      new Promise<string>((resolve, reject) => {
        look = () => {
          const seen = shown(screen.slice(read));
          if (!shape.test(seen)) return;
          read = screen.length;
          resolve(seen);
        };
        child.once('close', () =>
          reject(new Error(`It ended before ${String(shape)}: ${JSON.stringify(screen)}`)),
        );
        look();
      }),
  };
}

/** A chat in a terminal whose window is closed; returns its exit status as a shell sees it. */
async function closedWindow(root: string): Promise<string> {
  // Without the trap, SIGHUP would end the shell before it can report.
  const command = `trap '' HUP; '${process.execPath}' '${BIN}' chat; echo "left with $?" >&3`;
  const child = spawn('script', ['-qfc', command, '/dev/null'], {
    cwd: root,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: '/nonexistent',
      EXAI_HOME: root,
      EXAI_AUTOSTART: 'off',
      TERM: 'xterm',
      LANG: 'C.UTF-8',
      SHELL: '/bin/sh',
    },
    stdio: ['pipe', 'pipe', 'inherit', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [, output, , told] = child.stdio as unknown as Readable[];
  let screen = '';
  output?.setEncoding('utf8');
  output?.on('data', (chunk: string) => {
    screen += chunk;
    if (screen.includes('› ')) child.kill('SIGKILL');
  });
  return told ? text(told) : '';
}

/** The visible text: without colours, and without what was erased from a line. */
function shown(screen: string): string {
  // eslint-disable-next-line no-control-regex -- the escape character is what is looked for
  return stripVTControlCharacters(screen.replaceAll(/[^\n]*\r\u001b\[K/g, ''));
}

function lastMessage(body: unknown): string | undefined {
  const { messages } = body as { messages: { content: string }[] };
  return messages.at(-1)?.content;
}

const PROMPT = /\n› $/;
const FREE = /glm-\S+ \(glm\); [\d,]+ tokens in, [\d,]+ out; free\r\n\r\n› $/;

verifies(
  'cli:chat',
  'a chat streams, continues one conversation, and explains its route, cost and thread',
  async () => {
    const { root, emulator, path } = await emulated();
    const chat = chatAt(root);
    expect(await chat.until(PROMPT)).toContain('/help has the commands');
    chat.type('Say exactly: שלום, 世界 🦉!\r');
    expect(await chat.until(FREE)).toContain('\nשלום, 世界 🦉!\r\n');
    chat.type('Say exactly: Twice.\r');
    await chat.until(FREE);
    const sent = emulator.requests({ last: 1 })[0]?.body as { messages: { content: string }[] };
    expect(sent.messages.slice(1).map(({ content }) => content)).toEqual([
      'Say exactly: שלום, 世界 🦉!',
      'שלום, 世界 🦉!',
      'Say exactly: Twice.',
    ]);

    chat.type('/explain\r');
    expect(await chat.until(/› $/)).toMatch(
      /glm-\S+ \(glm\) answered: class chat, rule thread-model\r\n {2}Rule 2: .*\r\n[^]*Asked\r\n {2}1\. glm/,
    );
    chat.type('/cost\r');
    expect(await chat.until(/Today .*› $/s)).toMatch(/This chat: 2 answers, .* free\.\r\nToday/);
    chat.type('/modle\r');
    expect(await chat.until(/\n› $/)).toContain('did you mean "/model"?');
    chat.type('/thread\r');
    const [id] = /conv_\w+/.exec(await chat.until(/\n› $/)) ?? [];
    chat.type('/save talk.md\r');
    await chat.until(/4 turns written to .*talk\.md\r\n› $/);
    expect(readFileSync(path('talk.md'), 'utf8')).toContain('\n\nTwice.\n');
    chat.type(CTRL_D);
    const end = await chat.until(/icanon/);
    expect(end).toContain(`Continue: exai chat --resume ${id}`);
    expect(end).toContain('left with 0');
    expect(end).not.toContain('-icanon');
    expect(chat.raw().split('\u001b[?2004l')).toHaveLength(2);
    expect(statSync(path('chat-history')).mode & 0o777).toBe(0o600);
    expect(readFileSync(path('chat-history'), 'utf8')).toContain('Say exactly: Twice.\n');

    const again = chatAt(root, ['--resume', id ?? '', 'Say exactly: Back.']);
    const resumed = await again.until(FREE);
    expect(resumed).toContain(`(${id}, 4 turns)`);
    expect(resumed).toContain('› Say exactly: Back.\r\n');
    again.type('/exit\r');
    await again.until(/left with 0/);
  },
);

test('a pasted block is one message, and what is typed during an answer is not lost', async () => {
  const { root, emulator } = await emulated();
  emulator.fault({ id: 'slow', times: 1, with: { firstMs: 0, chunkMs: 100 } });
  const chat = chatAt(root);
  await chat.until(PROMPT);
  chat.type('Say exactly: one two three four five six seven eight nine\r');
  await chat.until(/\none two/);
  chat.type('Say exactly: ahead\r');
  await chat.until(/\nahead\r\n.*free\r\n\r\n› $/);
  chat.type('\u001b[200~// first\rsecond\u001b[201~');
  await chat.until(/\[pasted #1: 2 lines\]/);
  chat.type('\r');
  await chat.until(FREE);
  const asked = emulator.requests().map(({ body }) => lastMessage(body));
  expect(asked.slice(-2)).toEqual(['Say exactly: ahead', '// first\nsecond']);
  chat.type(CTRL_C);
  await chat.until(/Press Ctrl-C again/);
  chat.type(CTRL_C);
  await chat.until(/left with 0/);
});

test('Ctrl-C cancels an answer, nothing of it is stored, and the chat continues', async () => {
  const { root, emulator, exai } = await emulated();
  emulator.fault({ id: 'slow', times: 1, with: { firstMs: 0, chunkMs: 300 } });
  const chat = chatAt(root);
  await chat.until(PROMPT);
  chat.type('Say exactly: one two three four five six seven eight nine ten eleven twelve\r');
  await chat.until(/\none two three/);
  chat.type(CTRL_C);
  await chat.until(/Cancelled, nothing saved\.[^]*› $/);
  chat.type('Say exactly: Still here.\r');
  expect(await chat.until(FREE)).toContain('\nStill here.\r\n');
  chat.type(CTRL_D);
  await chat.until(/left with 0/);
  const { threads } = JSON.parse((await exai(['threads', 'list', '--json'])).stdout) as {
    threads: { turns: number; title: string }[];
  };
  expect(threads).toMatchObject([{ turns: 2, title: 'Say exactly: Still here.' }]);
});

test('a daemon that is killed in the middle of an answer is waited for, and the conversation continues', async () => {
  const { root, emulator, serve, daemon, exai } = await emulated();
  const chat = chatAt(root);
  await chat.until(PROMPT);
  chat.type('Say exactly: First.\r');
  await chat.until(FREE);
  emulator.fault({ id: 'slow', times: 1, with: { firstMs: 0, chunkMs: 300 } });
  chat.type('Say exactly: one two three four five six seven eight nine ten eleven twelve\r');
  await chat.until(/\none two/);
  daemon.kill('SIGKILL');
  await chat.until(/The daemon went away in the middle of it; connecting again\./);
  await daemon.ended;
  const later = await serve();
  const seen = await chat.until(FREE);
  expect(seen).toContain('nothing of it was kept, so it is asked once more.');
  expect(seen).toContain('\none two three four five six seven eight nine ten eleven twelve\r\n');

  later.kill('SIGTERM');
  await later.ended;
  chat.type('Say exactly: Nobody.\r');
  await chat.until(/exai: No daemon runs on [^]*exai\s+start\r\n\r\n› $/);
  await serve();
  chat.type('/retry\r');
  await chat.until(FREE);
  chat.type(CTRL_D);
  await chat.until(/left with 0/);
  const { threads } = JSON.parse((await exai(['threads', 'list', '--json'])).stdout) as {
    threads: { turns: number }[];
  };
  expect(threads).toMatchObject([{ turns: 6 }]);
});

test('the terminal is restored also when the chat is ended by a signal', async () => {
  const { root, path } = await emulated();
  const chat = chatAt(root, ['Say exactly: Hi.']);
  const [, pid] = /pid (\d+)/.exec(await chat.until(FREE)) ?? [];
  chat.type('/thread\r');
  await chat.until(/conv_[^]*\n› $/);
  process.kill(Number(pid), 'SIGTERM');
  const end = await chat.until(/icanon/);
  expect(end).toContain('left with 143');
  expect(end).not.toContain('-icanon');
  expect(chat.raw()).toContain('\u001b[?2004l');
  expect(readFileSync(path('chat-history'), 'utf8')).toBe('/thread\n');
});

test('in a pipe each line is a message, and standard output has the answers alone', async () => {
  const { exai, emulator } = await emulated();
  const input = 'Say exactly: one\\\ntwo\n\n/web off\nSay exactly: \u001b]0;x\u0007red\n/nope\n';
  const { code, stdout, stderr } = await exai(['chat', 'Say exactly: first'], { input });
  expect(stdout).toBe('first\none\nSearching the web: off\n\\u{1b}]0;x\\u{7}red\n');
  expect(stderr).toContain('exai: There is no command /nope.');
  expect(stdout + stderr).not.toContain('\u001b');
  expect(code).toBe(2);
  const asked = emulator.requests().map(({ body }) => lastMessage(body));
  expect(asked[1]).toBe('Say exactly: one\ntwo');

  const json = await exai(['chat', '--resume', '--json', '--model', 'kimi-k3'], {
    input: 'Say exactly: again\n',
  });
  expect(JSON.parse(json.stdout)).toMatchObject({
    status: 'success',
    model: 'kimi-k3',
    content: 'again',
    continuation: { remaining_turns: expect.any(Number) as number },
  });
});

test('a file is read with the message, and what is wrong with the options ends the command', async () => {
  const { exai } = await emulated();
  const folder = mkdtempSync(join(tmpdir(), 'exai-chat-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'keeper.txt');
  writeFileSync(file, 'The lighthouse keeper of Skagen is called Aurelia Winterbottom.\n');
  const about = await exai(['chat', 'Who is the lighthouse keeper of Skagen?', '--file', file]);
  expect(about.stdout).toContain('Aurelia Winterbottom');
  const refusals: [string[], number, string][] = [
    [['chat', '--file', '/nonexistent/x'], 6, 'No such file or folder: "/nonexistent/x"'],
    [['chat', '--model', 'kimi-k33'], 6, 'kimi-k3'],
    [['chat', '--resume', 'conv_0'], 3, 'not the id of a conversation'],
    [['chat', 'two', 'words'], 2, 'Put it in quotes.'],
    [['chat', ' '], 2, 'There is no message.'],
    [['chat', 'conv_1m7h86tpe000agftdazws2'], 2, 'exai chat --resume conv_1m7h86'],
  ];
  for (const [args, code, words] of refusals) {
    const refused = await exai(args, { input: 'Hi\n' });
    expect([args, refused.code, refused.stdout]).toEqual([args, code, '']);
    expect(refused.stderr).toContain(words);
  }
});

verifies(
  'cli:markdown',
  'a chat renders Markdown, shows it raw on demand, and names its model and conversation',
  async () => {
    const { root } = await emulated();
    const chat = chatAt(root);
    expect(await chat.until(PROMPT)).toContain('Model: auto; new conversation.');
    chat.type('Say exactly: **bold** and `code`\r');
    expect(await chat.until(FREE)).toContain('\nbold and code\r\n');
    expect(chat.raw()).toContain('\u001b[1mbold\u001b[22m');
    chat.type('/raw\r');
    await chat.until(/Raw Markdown: on\r\n› $/);
    chat.type('/retry\r');
    expect(await chat.until(FREE)).toContain('\n**bold** and `code`\r\n');
    chat.type('/raw perhaps\r');
    await chat.until(/Use \/raw on or \/raw off\.\r\n› $/);
    chat.type(CTRL_D);
    await chat.until(/left with 0/);
  },
);

test('a chat without any key names the command that adds one', async () => {
  const home = createHome();
  await home.serve();
  const chat = chatAt(home.root);
  expect(await chat.until(PROMPT)).toContain(
    'No model can answer yet. Add a key: exai keys add glm',
  );
  chat.type(CTRL_D);
  await chat.until(/left with 0/);
});

test('a window that is closed ends its chat as a shell expects', async () => {
  expect(await closedWindow(createHome().root)).toBe('left with 129\n');
});
