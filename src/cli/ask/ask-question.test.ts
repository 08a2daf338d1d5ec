import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough, Readable } from 'node:stream';
import { expect, onTestFinished } from 'vitest';
import { ERROR_POLICY } from '#core/errors/error-class.ts';
import { notice } from '#core/messages/notices.ts';
import { reason } from '#core/messages/reasons.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { withEnvelope } from '../../../test/read-envelope.ts';
import { verifies } from '../../../test/verifies.ts';
import { createTestIo } from '../test-io.fixture.ts';
import { askArgs } from './ask-args.ts';
import { askQuestion, type AskQuestionOptions } from './ask-question.ts';

interface ReceivedMessage {
  readonly exai?: string;
  readonly id?: number;
  readonly method?: string;
  readonly params?: {
    readonly requestId?: number;
    readonly arguments?: Record<string, unknown>;
    readonly _meta?: Record<string, unknown>;
  };
}

interface Call {
  readonly args: Record<string, unknown>;
  readonly meta: Record<string, unknown>;
  readonly tell: (params: object) => void;
  /** The first content block, beside the envelope. */
  readonly answer: (text: string, envelope: object, isError?: true) => void;
}

/** A fake daemon with one tool that does as the test says. */
async function daemonThat(onCall: (call: Call) => void, notices: readonly string[] = []) {
  const root = mkdtempSync(join(tmpdir(), 'exai-ask-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const received: ReceivedMessage[] = [];
  let onCancelled: () => void = () => undefined;
  const cancelled = new Promise<void>((resolve) => (onCancelled = resolve));
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    const write = (message: object) => socket.write(`${JSON.stringify(message)}\n`);
    const say = (message: object) => write({ jsonrpc: '2.0', ...message });
    createInterface({ input: socket }).on('line', (line) => {
      const message = JSON.parse(line) as ReceivedMessage;
      if (message.exai === 'hello') {
        return write({ exai: 'welcome', version: '999.0.0', instance: 'i', replay: [], notices });
      }
      received.push(message);
      const { id, params } = message;
      if (message.method === 'initialize') {
        say({ id, result: { protocolVersion: '2025-11-25' } });
      }
      if (message.method === 'notifications/cancelled') onCancelled();
      if (message.method !== 'tools/call') return;
      const meta = params?._meta ?? {};
      onCall({
        args: params?.arguments ?? {},
        meta,
        tell: (more) =>
          say({
            method: 'notifications/progress',
            params: { progressToken: meta['progressToken'], progress: 1, ...more },
          }),
        answer: (text, envelope, isError) =>
          say({
            id,
            result: {
              content: [{ type: 'text', text }],
              ...withEnvelope({ status: 'success', tool: 'chat', attempt: 1, ...envelope }),
              ...(isError && { isError }),
            },
          }),
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(join(root, 'daemon.sock'), resolve));
  onTestFinished(() => void server.close());
  return { root, received, cancelled };
}

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

interface RunOptions {
  readonly output?: 'terminal' | 'pipe';
  readonly input?: Readable;
  readonly signal?: AbortSignal;
}

async function ask(
  root: string,
  asked: Partial<AskQuestionOptions>,
  run: RunOptions = {},
): Promise<Ran> {
  const { output, signal } = run;
  const { io, texts } = createTestIo(root, {
    charset: 'utf-8',
    ...(output === 'terminal' && { width: 80 }),
    ...(signal && { signal }),
  });
  const whole: AskQuestionOptions = {
    question: 'Why?',
    args: {},
    wait: { timeoutMs: 60_000, timeoutOf: 'answer' },
    format: 'text',
    ...asked,
  };
  const code = await askQuestion(whole, io, run.input ?? Readable.from([]));
  return { code, ...texts };
}

const ANSWERED = {
  provider: 'glm',
  model: 'glm-4.7-flash',
  content: 'Because.',
  route: { because: [], reasons: [reason('text', { text: 'A plain question' })], attempts: [] },
  usage: { input: 10, output: 2, cached: 0, reasoning: 0, cost_usd: 0, estimated: false },
};
const LINE = 'glm-4.7-flash (glm): A plain question; 10 tokens in, 2 out; free\n';

verifies(
  'ask:cli',
  'in a pipe there is the answer and nothing else; how it came about is beside it',
  async () => {
    const { root, received } = await daemonThat(({ tell, answer }) => {
      tell({ message: 'about 5 tokens so far' });
      answer('Because.', ANSWERED);
    });
    expect(await ask(root, {})).toEqual({ code: 0, out: 'Because.\n', err: LINE });
    const call = received.find(({ method }) => method === 'tools/call');
    expect(call?.params).toEqual({
      name: 'chat',
      arguments: { prompt: 'Why?' },
      _meta: { progressToken: call?.id, 'exai/wait': true, 'exai/whole': true },
    });
  },
);

verifies('ask:cli', 'citations are asked of file_chat, which gets pictures as files', async () => {
  const { root, received } = await daemonThat(({ answer }) =>
    answer('It is 7 [a.pdf p. 1: "7"].', ANSWERED),
  );
  const attachments = {
    files: ['a.pdf'],
    images: ['data:image/png;base64,AAAA'],
    stdin: 'text',
  } as const;
  const { code } = await ask(root, { tool: 'file_chat', attachments });
  expect(code).toBe(0);
  const call = received.find(({ method }) => method === 'tools/call');
  expect(call?.params).toMatchObject({
    name: 'file_chat',
    arguments: { prompt: 'Why?', files: ['a.pdf', 'data:image/png;base64,AAAA'] },
  });
  await expect(ask(root, { tool: 'file_chat' })).rejects.toMatchObject({ field: '--cite' });
  expect(() => askArgs({ cite: true, web: true })).toThrow('--web cannot be used with --cite.');
});

verifies('ask:cli', 'a notice is printed once, beside the answer', async () => {
  const cut = notice('files_not_mentioned', { files: ['a.pdf'], more: 0 });
  const { root } = await daemonThat(({ answer }) =>
    answer(`Because.\n\n[${baseRenderer.notice(cut)}]\n\nSources:\n1. a`, {
      ...ANSWERED,
      notice_data: [cut],
    }),
  );
  const { out, err } = await ask(root, {});
  expect(out).toBe('Because.\n\nSources:\n1. a\n');
  expect(err).toBe(`exai: The answer does not mention a.pdf.\n${LINE}`);
});

verifies('ask:cli', 'on a terminal the answer is shown as it comes', async () => {
  const { root, received } = await daemonThat(({ tell, answer }) => {
    tell({ message: 'asking' });
    tell({ _meta: { 'exai/text': 'Bec' } });
    tell({ message: 'another goes on' });
    tell({ _meta: { 'exai/text': 'ause.' } });
    answer('Because.\n\nSources:\n1. a', ANSWERED);
  });
  const { code, out, err } = await ask(root, {}, { output: 'terminal' });
  expect([code, out]).toEqual([0, 'Because.\n\nSources:\n1. a\n']);
  // The progress line is animated while it is shown.
  // eslint-disable-next-line no-control-regex -- what clears a line is what is looked for
  expect(err).toMatch(/^(?:\r\u001b\[K. asking(?: \d+ s)?)+\r\u001b\[K/u);
  expect(err.endsWith(`\r\u001b[K${LINE}`)).toBe(true);
  const call = received.find(({ method }) => method === 'tools/call');
  expect(call?.params?._meta).toMatchObject({ 'exai/stream': true });
});

verifies('ask:spinner', 'what is waited for is shown at a terminal alone', async () => {
  const { root } = await daemonThat(({ tell, answer }) => {
    tell({ message: 'glm-5.3 is thinking' });
    answer('Because.', ANSWERED);
  });
  const shown = await ask(root, {}, { output: 'terminal' });
  expect(shown.err).toContain('\r\u001b[K⠋ asking');
  expect(shown.err).toContain('glm-5.3 is thinking\r\u001b[K');
  expect((await ask(root, {})).err).toBe(LINE);
  const json = await ask(root, { format: 'json' }, { output: 'terminal' });
  expect(json.err).toBe('');
});

verifies('ask:cli', 'what is piped in goes along as a text, with the options', async () => {
  const given: object[] = [];
  const { root } = await daemonThat(({ args, answer }) => {
    given.push(args);
    answer('Yes.', ANSWERED);
  });
  const input = Readable.from([Buffer.from('a text\n')]);
  await ask(root, { args: { model: 'kimi-k3' } }, { input });
  await ask(root, { question: undefined }, { input: Readable.from([Buffer.from('Why so?\n')]) });
  expect(given).toEqual([
    { prompt: 'Why?', files: [{ name: 'stdin', text: 'a text\n' }], model: 'kimi-k3' },
    { prompt: 'Why so?' },
  ]);
});

verifies('ask:cli', 'as JSON there is the envelope as it came', async () => {
  const { root } = await daemonThat(({ answer }) => answer('Because.', ANSWERED));
  const { code, out, err } = await ask(root, { format: 'json' }, { output: 'terminal' });
  expect([code, err]).toEqual([0, '']);
  expect(JSON.parse(out)).toMatchObject({ status: 'success', ...ANSWERED });
});

const LOCAL = { provider: 'extractive', model: 'local-extract', outcome: 'ok' };
const NO_KEY = 'No model can be asked. Showing matching passages from your input instead.';
const NO_KEY_DATA = {
  code: 'quoted_instead',
  params: {
    error: {
      class: 'not_configured',
      message: 'No model can be asked.',
      fixes: [{ kind: 'add_key', params: {} }],
    },
  },
};
const QUOTED = {
  ...ANSWERED,
  provider: 'extractive',
  model: 'local-extract',
  status: 'degraded',
  route: {
    because: ['Rule 16.'],
    attempts: [LOCAL],
    notices: [NO_KEY, 'Cut.', 'Half of it.'],
    notice_data: [
      NO_KEY_DATA,
      { code: 'text', params: { text: 'Cut.' } },
      { code: 'text', params: { text: 'Half of it.' } },
    ],
  },
};

verifies(
  'ask:cli',
  'an answer without a model says so in one line, followed by its notices',
  async () => {
    const { root } = await daemonThat(
      ({ answer }) => answer('None.\n\n[1] “Quoted.” — file stdin', { ...QUOTED, detail: 'Cut.' }),
      ['KIMI_API_KEY is not known here.'],
    );
    expect(await ask(root, {})).toEqual({
      code: 0,
      out: 'None.\n\n[1] “Quoted.” — file stdin\n',
      err:
        'exai: KIMI_API_KEY is not known here.\nexai: Cut.\nexai: Half of it.\n' +
        'No model is set up, so what was given is quoted: exai keys add glm\n',
    });
  },
);

verifies(
  'ask:cli',
  'without a model and without anything to quote there is no answer, and the exit code says so',
  async () => {
    const route = {
      ...QUOTED.route,
      notices: [NO_KEY, 'There is nothing to quote.'],
      notice_data: [NO_KEY_DATA, { code: 'nothing_to_quote', params: {} }],
    };
    const { root } = await daemonThat(({ answer }) => answer('None.', { ...QUOTED, route }));
    expect(await ask(root, {})).toEqual({
      code: 22,
      out: 'None.\n',
      err: 'No model is set up: exai keys add glm\n',
    });
    const { code, err } = await ask(root, { format: 'json' });
    expect([code, err]).toEqual([22, '']);
  },
);

verifies(
  'ask:cli',
  'a failure has the exit code of its class, and says who was asked',
  async () => {
    const attempts = [{ model: 'kimi-k3', provider: 'kimi', outcome: 'timeout' }];
    const { root } = await daemonThat(({ tell, answer }) => {
      tell({ _meta: { 'exai/text': 'It beg' } });
      answer(
        'Nobody answered.',
        {
          status: 'error',
          error_class: 'exhausted_fallback_chain',
          detail: 'Nobody answered.',
          content: null,
          route: { because: [], attempts },
        },
        true,
      );
    });
    expect(await ask(root, {})).toEqual({
      code: 25,
      out: '',
      err: 'exai: Nobody answered.\n1 attempt: kimi-k3 timeout\n',
    });
    expect(await ask(root, {}, { output: 'terminal' })).toMatchObject({
      code: 25,
      out: 'It beg\n',
    });
  },
);

verifies('ask:cli', 'who leaves cancels the call at the daemon', async () => {
  const leaving = new AbortController();
  const { root, cancelled } = await daemonThat(() => leaving.abort());
  const { code, out, err } = await ask(root, {}, { signal: leaving.signal });
  expect([code, out, err]).toEqual([130, '', 'exai: The call was cancelled.\n']);
  await cancelled;
});

verifies('ask:cli', 'an interrupt while the input is read asks no model', async () => {
  const { root, received } = await daemonThat(() => undefined);
  const leaving = new AbortController();
  const asking = ask(root, {}, { signal: leaving.signal, input: new PassThrough() });
  leaving.abort();
  await expect(asking).rejects.toThrow('abort');
  expect(received).toEqual([]);
});

verifies('ask:cli', 'an empty question is refused before anything is read', async () => {
  const input = new PassThrough();
  await expect(ask('/nowhere', { question: ' ' }, { input })).rejects.toMatchObject({
    class: 'bad_request',
    field: 'question',
  });
  expect(input.listenerCount('data')).toBe(0);
});

verifies('ask:cli', 'a terminal shows how to continue, a pipe does not', async () => {
  const continuation = { id: 'conv_7', remaining_turns: 99, note: '' };
  const { root } = await daemonThat(({ answer }) => {
    answer('Because.', { ...ANSWERED, continuation });
  });
  const watched = await ask(root, {}, { output: 'terminal' });
  expect(watched.err).toContain(`${LINE}Continue: exai chat --resume conv_7\n`);
  expect((await ask(root, {})).err).toBe(LINE);
});

verifies(
  'cli:jobs',
  'a question that continues as a job is not an answer, and shows how to get it',
  async () => {
    const detail =
      'chat is still running as background job job_7. Call job_result with {"job_id": "job_7"} to get the result (repeat if it is not ready yet). Use job_cancel to stop it.';
    const running = {
      status: 'running',
      content: null,
      detail,
      job: { id: 'job_7', status: 'running', tool: 'chat', note: 'asking' },
    };
    const { root } = await daemonThat(({ answer }) => answer(detail, running));
    expect(await ask(root, {})).toEqual({
      code: 15,
      out: '',
      err: 'exai: chat still runs as job job_7 (asking). Get the answer with: exai jobs result job_7 --wait, or stop it with: exai jobs cancel job_7\n',
    });
    const asJson = await ask(root, { format: 'json' });
    expect([asJson.code, asJson.err]).toEqual([15, '']);
    expect(JSON.parse(asJson.out)).toMatchObject(running);
  },
);

verifies(
  'ask:cli',
  'a paid answer whose record could not be stored is printed, with the error beside it',
  async () => {
    const message = 'chat ran, but its record could not be stored. The disk is full.';
    const params = { tool: 'chat', failure: 'The disk is full.' };
    const failed = {
      ...ANSWERED,
      status: 'error',
      error_class: 'over_capacity',
      error: { message, reason: { code: 'call_not_recorded', params } },
      detail: message,
      content: { text: 'Because.', finish: 'stop' },
    };
    const { root } = await daemonThat(({ answer }) => {
      answer(`${message}\n\nBecause.`, failed, true);
    });
    const { code, out, err } = await ask(root, {});
    expect({ code, out }).toEqual({ code: ERROR_POLICY.over_capacity.exit, out: 'Because.\n' });
    expect(err).toContain(`exai: ${message}\n`);
    expect(err).not.toContain('Because.');
  },
);
