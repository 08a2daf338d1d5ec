import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { ESCAPE_CORPUS, RAW_CONTROLS } from '../cases/escape-corpus.ts';
import { BIN, createHome, finished } from '../e2e/exai.ts';
import { serveAnswers, type ServedAnswer } from '../e2e/hostile-server.ts';
import { verifies } from '../verifies.ts';

const TEXTS = Object.values(ESCAPE_CORPUS);
/** The corpus with an unpaired surrogate, in Markdown, so that every kind of block has a part of it. */
const ANSWER = [
  'BEGIN \uD83D',
  ...TEXTS.map((text, at) => `${['', '# ', '- ', '> ', '**'][at % 5]}${text}`),
  `\`\`\`js\n${TEXTS.join('\n')}\n\`\`\``,
  `| ${TEXTS.join(' | ')} |\n|---|\n| x |`,
  `[link](https://x.example/${TEXTS.join('')})`,
  'END',
].join('\n\n');
/** Names of files that look like our own sequences. */
const [SAVED, EXPORTED] = ['saved', 'exported'].map(
  (name) => `${name}\u001B[31mred\u001B[1mbold\r\u001B[Kforged`,
) as [string, string];
const FLAT = TEXTS.join(' ').replaceAll('\0', '');

const events = (...chunks: readonly object[]): ServedAnswer => ({
  pieces: [...chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`), 'data: [DONE]\n\n'],
});
const delta = (content: string, finish: string | null = null) => ({
  id: 'c1',
  model: `named ${FLAT}`,
  choices: [{ index: 0, delta: { content }, finish_reason: finish }],
});

/** The bytes that a terminal gets from a command, stdout and stderr together. */
async function shownAt(root: string, args: readonly string[], input?: string): Promise<string> {
  const quoted = args.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`);
  const command = `stty cols 100 rows 40; '${process.execPath}' '${BIN}' ${quoted.join(' ')}`;
  const child = spawn('script', ['-qefc', command, '/dev/null'], {
    cwd: root,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: root,
      EXAI_HOME: root,
      EXAI_AUTOSTART: 'off',
      TERM: 'xterm',
      LANG: 'C.UTF-8',
      SHELL: '/bin/sh',
    },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  if (input !== undefined) child.stdin.write(input);
  child.stdout.setEncoding('utf8');
  return (await finished(child)).stdout;
}

/** Without the sequences that the program writes itself; only a chat has a line editor. */
function foreignPart(shown: string, command: string): string {
  return (
    shown
      // eslint-disable-next-line no-control-regex -- the escape character is what is looked for
      .replaceAll(/\u001B\[(?:[1-4]|9|2[2-4]|29|3[1-6]|39)m|\r\u001B\[K|\r+\n/g, '')
      // eslint-disable-next-line no-control-regex -- the escape character is what is looked for
      .replaceAll(command === 'chat' ? /\u001B\[(?:\d*[ABCDGJK]|\?2004[hl])|\r/g : /$^/g, '')
  );
}

function expectHarmless(shown: string, what: string): void {
  const foreign = foreignPart(shown, what.split(' ', 1)[0] ?? '');
  const found = RAW_CONTROLS.exec(foreign);
  expect([what, found && JSON.stringify(foreign.slice(found.index, found.index + 40))]).toEqual([
    what,
    null,
  ]);
  // Those that look like our own sequences.
  for (const text of ['\u001B[31mred', '\u001B[1mbold', '\r\u001B[Kforged'])
    expect([what, shown.includes(text)]).toEqual([what, false]);
}

async function hostileDaemon() {
  const server = await serveAnswers(
    new Map<string, ServedAnswer>([
      ['answers', events(delta(ANSWER), delta('', 'stop'))],
      [`named ${TEXTS.slice(0, 20).join('')}`, events(delta('x', 'stop'))],
      [
        'refuses',
        {
          status: 400,
          type: 'application/json',
          pieces: [JSON.stringify({ error: { message: FLAT, type: FLAT, code: FLAT } })],
        },
      ],
    ]),
  );
  const home = createHome();
  await home.serve([], { env: server.env });
  // The names of its models are known from here on.
  await home.exai(['models', 'refresh']);
  return home;
}

verifies(
  'security:terminal-text',
  'no command passes a control, a change of direction or an invisible character to a terminal',
  async () => {
    const { root, exai } = await hostileDaemon();
    const model = ['--model', 'custom/answers'];
    const asked = await exai(['ask', ...model, '--json'], { input: `Why ${FLAT}?` });
    const { continuation, content } = JSON.parse(asked.stdout) as {
      continuation: { id: string };
      content: string;
    };
    expect(content).toContain('END');
    const { id } = continuation;
    await exai(['threads', 'rename', id, FLAT]);
    const args = JSON.stringify({ prompt: FLAT, model: 'custom/answers' });
    await exai(['call', 'chat', '--background', '--args', args]);
    const commands: readonly (readonly string[])[] = [
      ['ask', 'Hi', ...model],
      ['ask', 'Hi', ...model, '--raw'],
      ['ask', 'Hi', '--model', 'custom/refuses', '--no-fallback'],
      ['ask', 'Hi', '--model', FLAT],
      ['call', 'chat', '--args', args],
      [
        'call',
        'chat',
        '--args',
        JSON.stringify({ prompt: 'x', model: 'custom/refuses', fallback: 'none' }),
      ],
      ['call', FLAT],
      ['threads', 'list'],
      ['threads', 'show', id],
      ['threads', 'show', id, '--raw'],
      ['threads', 'search', 'red'],
      ['threads', 'export', id],
      ['threads', 'show', FLAT],
      ['jobs'],
      ['jobs', 'show', FLAT],
      ['models', '--provider', 'custom'],
      ['models', 'refresh'],
      ['models'],
      ['tools'],
      ['usage', '--by', 'model'],
      ['explain', FLAT, ...model],
      ['logs', '--all'],
      ['logs', '--name', FLAT],
      ['doctor'],
      ['chat', '--file', FLAT],
      ['chat', '--model', FLAT],
      ['config', 'show'],
      ['config', 'set', 'tools.disabled', FLAT],
      ['config', 'get', FLAT],
      ['threads', 'export', id, '-o', join(root, EXPORTED)],
      ['backup', join(root, SAVED)],
      ['usage', '--by', 'client'],
      [FLAT],
    ];
    for (const words of commands) {
      expectHarmless(await shownAt(root, words), words.slice(0, 2).join(' ').slice(0, 30));
    }
    expect(await shownAt(root, ['ask', 'Hi', ...model])).toContain('END');
    // A name with control characters is no name of a model.
    expect(await shownAt(root, ['models', '--provider', 'custom'])).not.toContain('named');
    for (const words of commands) {
      if (words[0] === 'chat') continue;
      const { stdout, stderr } = await exai([...words, '--json']);
      expectHarmless(stdout + stderr, `${words.slice(0, 2).join(' ').slice(0, 30)} --json`);
    }
  },
);

verifies('security:terminal-text', 'neither does a chat', async () => {
  const { root } = await hostileDaemon();
  const shown = await shownAt(
    root,
    ['chat', '--model', 'answers', FLAT],
    '/explain\r/raw\r/retry\r/exit\r',
  );
  expectHarmless(shown, 'chat');
  expect(shown.split('END').length).toBeGreaterThan(2);
});
