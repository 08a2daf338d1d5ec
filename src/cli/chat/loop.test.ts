import { expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { fix } from '#core/messages/fixes.ts';
import { chatWith, lostConnection, type FakeChatTool } from './loop.fixture.ts';

const usage = { input: 10, output: 2, cached: 0, reasoning: 0, cost_usd: 0.001, estimated: false };

/** Echoes the prompt, in one conversation. */
const echo: FakeChatTool = ({ args, stream: tell }) => {
  const text = `You said ${String(args['prompt'])}.`;
  tell(text.slice(0, 8));
  return Promise.resolve({
    envelope: {
      status: 'success',
      provider: 'glm',
      model: 'glm-5.3',
      content: text,
      usage,
      route: { class: 'chat', rule: 'simple-tool', because: ['Rule 12.'], attempts: [] },
      continuation: { id: 'conv_1', remaining_turns: 9, note: '' },
    },
    text,
  });
};

const NOTE = 'glm-5.3 (glm); 10 tokens in, 2 out; $0.001\n';

test('messages continue one conversation, and each answer has a footer', async () => {
  const { exit, out, err, calls } = await chatWith(['Hi', '', '//model', '/thread'], echo, {
    isInteractive: false,
  });
  expect(calls.map(({ args }) => args)).toEqual([
    { prompt: 'Hi' },
    { prompt: '/model', continuation_id: 'conv_1' },
  ]);
  expect(out).toBe(
    'You said Hi.\nYou said /model.\nconv_1, 9 more messages fit in; continue later with: exai chat --resume conv_1\n',
  );
  expect([exit, err]).toEqual([0, NOTE + NOTE]);
});

test('the first message is one, whatever it begins with', async () => {
  const { calls } = await chatWith([], echo, { first: '/exit' });
  expect(calls).toEqual([{ name: 'chat', args: { prompt: '/exit' } }]);
});

test('model, web and files stay set until they are changed', async () => {
  const state = { model: 'kimi-k3', web: 'on', files: ['/a'] } as const;
  const { calls } = await chatWith(
    ['One', '/web off', '/model auto', 'Two', '/new', 'Three'],
    echo,
    {
      state,
    },
  );
  expect(calls.map(({ args }) => args)).toEqual([
    { prompt: 'One', model: 'kimi-k3', use_websearch: true, files: ['/a'] },
    { prompt: 'Two', use_websearch: false, continuation_id: 'conv_1' },
    { prompt: 'Three', use_websearch: false },
  ]);
});

test('a failure is one line with the fix, the chat continues, and the files are kept for the next message', async () => {
  let count = 0;
  const answer: FakeChatTool = async (call) => {
    count += 1;
    if (count > 2) return echo(call);
    if (count === 2) throw new CallError('over_capacity', 'It is busy', { fix: 'Try later.' });
    const detail = 'It is full. Leave out continuation_id to begin a new conversation.';
    const error = { message: 'It is full.', fixes: [fix('new_conversation')] };
    return {
      envelope: { status: 'error', error_class: 'too_large', detail, error },
      isError: true,
    };
  };
  const { exit, out, err, calls } = await chatWith(['A', '/explain', 'B', '/retry'], answer, {
    state: { files: ['/a'] },
    isInteractive: false,
  });
  expect(err).toBe(
    `exai: It is full. Begin a new conversation with: /new\nexai: It is busy. Try later.\n${NOTE}`,
  );
  expect(out).toBe(
    'No model was asked. It is full. Leave out continuation_id to begin a new conversation.\nYou said B.\n',
  );
  expect(calls.at(-1)?.args).toEqual({ prompt: 'B', files: ['/a'] });
  expect(exit).toBe(23);
});

test('unknown commands name the nearest, and wrong arguments what to write', async () => {
  const { out, err, exit, calls } = await chatWith(
    [
      '/modle x',
      '/etc/hosts',
      '/web maybe',
      '/file nope',
      '/save',
      '/retry',
      '/thread',
      '/explain',
      '/file',
    ],
    echo,
  );
  expect(err.split('\n')).toEqual([
    'exai: There is no command /modle, did you mean "/model"? /help lists them; a message that begins with a slash is written with two.',
    'exai: There is no command /etc/hosts. /help lists them; a message that begins with a slash is written with two.',
    'exai: /web cannot be "maybe". Use /web on, /web off or /web auto.',
    'exai: No such file or folder: "/nowhere/nope". Relative paths begin where the chat was started.',
    '',
  ]);
  expect(out.split('\n')).toEqual([
    ...Array<string>(4).fill('No messages yet.'),
    'No file goes with the next message.',
    '',
    '',
  ]);
  expect([exit, calls]).toEqual([6, []]);
});

test('what was asked is explained, and what it cost is summed up', async () => {
  const answer: FakeChatTool = (call) =>
    call.name === 'exai/spending'
      ? Promise.resolve({
          envelope: { day: '2026-01-31', calls: 3, costMicroUsd: 4_000, unpriced: 0 },
        })
      : echo(call);
  const { out } = await chatWith(['A', 'B', '/explain', '/cost'], answer, { isInteractive: false });
  expect(out).toContain('glm-5.3 (glm) answered: class chat, rule simple-tool\n  Rule 12.\n');
  expect(out).toContain(
    'This chat: 2 answers, 20 tokens in, 4 out, $0.002.\nToday (2026-01-31, UTC, all clients): 3 requests, $0.004.\n',
  );
});

test('a model that cannot be used is refused, and a known one answers from then on', async () => {
  const model = { id: 'kimi-k3', provider: 'kimi', usable: true };
  const answer: FakeChatTool = (call) => {
    const { model: wanted } = call.args;
    if (call.name === 'chat') return echo(call);
    const usable = wanted !== 'dear';
    const found = usable ? model : { id: 'dear', usable, because: 'no key: exai keys add kimi' };
    return Promise.resolve({ envelope: { content: { models: [found] } } });
  };
  const { out, err, calls } = await chatWith(['/model dear', '/model K3', '/model', 'Hi'], answer, {
    isInteractive: false,
  });
  expect(err).toContain('exai: dear cannot be used now: no key: exai keys add kimi. /models lists');
  expect(out).toContain('kimi-k3 (kimi) answers from now on.\nkimi-k3 answers; /model auto lets');
  expect(calls.at(-1)?.args).toEqual({ prompt: 'Hi', model: 'kimi-k3' });
});

test('Ctrl-C cancels the answer and keeps the chat', async () => {
  const answer: FakeChatTool = async (call) => {
    if (call.args['prompt'] !== 'Long') return echo(call);
    call.stream('Well, ');
    call.interrupt();
    throw new CallError(
      'cancelled',
      call.signal?.aborted ? 'The call was cancelled.' : 'Not told.',
    );
  };
  const { out, err } = await chatWith(['Long', 'Short'], answer);
  expect(out).toBe('Well, \n\nYou said Short.\n\n\n');
  expect(err).toBe(`Cancelled, nothing saved. /retry to send it again.\n${NOTE}`);
});

test('Ctrl-C twice on an empty line leaves, with anything in between it does not', async () => {
  const nothing = { is: 'interrupt', dropped: 'nothing' } as const;
  const something = { is: 'interrupt', dropped: 'something' } as const;
  const { err, left, exit } = await chatWith(
    [nothing, 'Hi', nothing, something, nothing, nothing, 'never'],
    echo,
  );
  const hint = 'Press Ctrl-C again or Ctrl-D to exit.\n';
  expect([exit, err, left]).toEqual([0, `${hint}${NOTE}${hint}${hint}`, ['never']]);
});

test('/exit and its other names leave; a pipe that is interrupted exits with 130', async () => {
  for (const word of ['/exit', '/quit', '/q']) {
    expect((await chatWith([word, 'never'], echo)).left).toEqual(['never']);
  }
  const ended = await chatWith([{ is: 'end', cause: 'interrupted' }], echo, {
    isInteractive: false,
  });
  expect([ended.exit, ended.out]).toEqual([130, '']);
});

test('a daemon that goes away in the middle is asked once more, in the same conversation', async () => {
  let count = 0;
  const answer: FakeChatTool = async (call) => {
    if (call.name === 'threads') return { envelope: { content: { turns: [] } } };
    count += 1;
    if (count !== 2) return echo(call);
    call.stream('You sa');
    throw lostConnection();
  };
  const { out, err, calls } = await chatWith(['A', 'B'], answer);
  expect(out).toBe('You said A.\n\nYou sa\nYou said B.\n\n\n');
  expect(err).toBe(
    `${NOTE}exai: The daemon went away in the middle of it; connecting again.\nConnected again; nothing of it was kept, so it is asked once more.\n${NOTE}`,
  );
  expect(calls.map(({ args }) => args['continuation_id'])).toEqual([
    undefined,
    'conv_1',
    undefined,
    'conv_1',
  ]);
});

test('an answer that was stored before the daemon went away is shown, and not paid for twice', async () => {
  const at = '2030-01-01T00:00:00.000Z';
  const turns = [
    { role: 'user', text: 'B', at },
    { role: 'assistant', text: 'Kept \u001b[2J.', at, provider: 'glm', model: 'glm-5.3' },
  ];
  const answer: FakeChatTool = (call) =>
    call.name === 'threads'
      ? Promise.resolve({ envelope: { content: { turns } } })
      : Promise.reject(lostConnection());
  const { out, err, calls } = await chatWith(['B'], answer, {
    state: { thread: { id: 'conv_1' } },
  });
  expect(out).toBe('Kept \\u{1b}[2J.\n\n\n');
  expect(err).toContain('glm-5.3 (glm)\n');
  expect(calls.map(({ name }) => name)).toEqual(['chat', 'threads']);
});

test('a daemon that goes away twice is a failure like any other', async () => {
  const answer: FakeChatTool = ({ name }) =>
    name === 'ping' ? Promise.resolve({ envelope: {} }) : Promise.reject(lostConnection());
  const { err, exit } = await chatWith(['B'], answer, { isInteractive: false });
  expect(err.split('\n').at(-2)).toBe('exai: The connection to the daemon ended. Try again.');
  expect(exit).toBe(16);
});

test('as JSON each answer is a line, failures too, and texts go to stderr', async () => {
  let count = 0;
  const answer: FakeChatTool = async (call) => {
    count += 1;
    if (count === 1) return echo(call);
    throw new CallError('timeout', 'Too late.');
  };
  const { out, err } = await chatWith(['A', '/thread', 'B'], answer, {
    format: 'json',
    isInteractive: false,
  });
  const lines = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  expect(lines).toMatchObject([
    { status: 'success', content: 'You said A.' },
    { status: 'error', error_class: 'timeout', tool: 'chat', detail: 'Too late.' },
  ]);
  expect(err).toContain('conv_1');
});

test('/resume shows the last turns and continues there', async () => {
  const answer: FakeChatTool = (call) => {
    if (call.name === 'chat') return echo(call);
    const { action, id } = call.args;
    const content =
      action === 'list'
        ? { threads: [{ id: 'conv_1' }, { id: 'conv_0' }] }
        : {
            thread: { id, title: 'Skies', turns: 2, model: 'kimi-k3' },
            turns: [
              { role: 'user', text: 'Why \nblue?' },
              { role: 'assistant', text: 'It \u001bscatters.', model: 'kimi-k3', left_out: 7 },
            ],
          };
    return Promise.resolve({ envelope: { content } });
  };
  const { out, calls } = await chatWith(['A', '/resume', 'B', '/resume conv_7', 'C'], answer, {
    isInteractive: false,
  });
  expect(out).toContain(
    'Skies (conv_0, 2 turns)\nYou\nWhy  blue?\nkimi-k3\nIt \\u{1b}scatters. … (7 more characters: /save)\n',
  );
  const chats = calls.filter(({ name }) => name === 'chat');
  expect(chats.map(({ args }) => args['continuation_id'])).toEqual([undefined, 'conv_0', 'conv_7']);
  const none = await chatWith(['/resume'], () =>
    Promise.resolve({ envelope: { content: { threads: [] } } }),
  );
  expect(none.err).toContain('There is no earlier conversation to continue. Just write');
});

test.each([
  [['debug', 'planner', 'chat', 'chat'], 'conv_2'],
  [['debug', 'planner'], 'conv_0'],
])('/resume prefers the last chat: of %j it is %s', async (tools, wanted) => {
  const answer: FakeChatTool = (call) => {
    if (call.name === 'chat') return echo(call);
    const { action, id } = call.args;
    const tool = tools[Number(String(id).slice('conv_'.length))];
    const content =
      action === 'list'
        ? { threads: tools.map((_, n) => ({ id: `conv_${n}` })) }
        : {
            thread: { id, title: 'Skies', turns: 2 },
            turns: [{ role: 'assistant', text: 'Blue.', tool }],
          };
    return Promise.resolve({ envelope: { content } });
  };
  const { calls } = await chatWith(['/resume', 'B'], answer, { isInteractive: false });
  expect(calls.at(-1)).toMatchObject({ name: 'chat', args: { continuation_id: wanted } });
});
