import { describe, expect, test } from 'vitest';
import type { CallRequest } from '#core/calls/calls.ts';
import { OWNER, settled } from '../../src/calls/calls.fixture.ts';
import {
  createTestHub,
  lastRequest,
  scriptServer,
  type RpcMessage,
  type ScriptedConnection,
  type TestHubOptions,
} from '../hub-harness.ts';
import { verifies } from '../verifies.ts';

const FORM = { type: 'object', properties: { name: { type: 'string' } } };
const ELICITATION = { message: 'Who are you?', requestedSchema: FORM };
const ABLE: Partial<CallRequest> = { clientCapabilities: ['form', 'sample', 'roots'] };
const NAME = 'mcp__one__ask';
const accept = { action: 'accept', content: { name: 'Ada' } };

/** A server whose tool does what the test says. */
async function asking(
  onCall: (call: RpcMessage, connection: ScriptedConnection) => unknown,
  options: TestHubOptions & { readonly era?: 'legacy' | 'modern' } = {},
) {
  const server = scriptServer({
    era: options.era ?? 'legacy',
    tools: [{ name: 'ask', inputSchema: { type: 'object' } }],
    handlers: { 'tools/call': (message, connection) => void onCall(message, connection) },
  });
  const hub = await createTestHub({ one: server }, options);
  const [connection] = server.connections;
  if (!connection) throw new Error('not connected');
  return { ...hub, server, connection };
}

function answerWith({ send }: ScriptedConnection, { id }: RpcMessage, value: unknown): void {
  send({ id, result: { content: [{ type: 'text', text: JSON.stringify(value) }] } });
}

/** Elicits, and answers with what it got. */
async function elicits(call: RpcMessage, connection: ScriptedConnection): Promise<void> {
  const answer = await connection.ask(`e${call.id}`, 'elicitation/create', ELICITATION);
  answerWith(connection, call, answer.result ?? answer.error);
}

describe('a server that asks in the middle of a call', () => {
  verifies(
    'hub:asks',
    'gets the answer of the client, which continues the call by a sealed state',
    async () => {
      const { start, ongoing } = await asking(elicits);
      const first = await start(NAME, {}, ABLE).answer;
      expect(first.inputRequired?.questions).toEqual({
        'server-1': { is: 'form', message: 'The MCP server one asks: Who are you?', schema: FORM },
      });
      expect(ongoing.parked).toBe(1);
      const state = first.inputRequired?.state ?? '';
      const again = { ...ABLE, state, answers: { 'server-1': accept } };
      const second = await start(NAME, {}, again).answer;
      expect(second.error).toBeUndefined();
      expect(JSON.parse(second.text)).toEqual(accept);
      expect(ongoing.parked).toBe(0);
    },
  );

  test('is told at once where the client cannot be asked', async () => {
    const { answer } = await asking(elicits);
    const { text } = await answer(NAME);
    expect(JSON.parse(text)).toMatchObject({ code: -32601 });
  });

  verifies(
    'hub:asks-bound',
    'is answered by the principal and the token alone that made the call',
    async () => {
      const { start, ongoing } = await asking(elicits);
      const owner = { ...OWNER, principal: 'anna', credential: 'token-1' };
      const { inputRequired } = await start(NAME, {}, { ...ABLE, caller: owner }).answer;
      const state = inputRequired?.state ?? '';
      const answers = { 'server-1': accept };
      for (const other of [
        { ...owner, principal: 'bert' },
        { ...owner, credential: 'token-2' },
        { ...owner, agent: 'main' },
      ]) {
        const { error } = await start(NAME, {}, { ...ABLE, state, answers, caller: other }).answer;
        expect(error?.class).toMatch(/^(validation|timeout)$/);
      }
      expect(ongoing.parked).toBe(1);
      const own = await start(NAME, {}, { ...ABLE, state, answers, caller: owner }).answer;
      expect(JSON.parse(own.text)).toEqual(accept);
    },
  );

  verifies(
    'hub:asks-expiry',
    'is cancelled after ten minutes, and the late answer is told why',
    async () => {
      const { start, clock, connection, ongoing } = await asking(elicits);
      const { inputRequired } = await start(NAME, {}, ABLE).answer;
      clock.advance(10 * 60_000);
      await settled();
      expect(ongoing.parked).toBe(0);
      expect(lastRequest(connection, 'notifications/cancelled')).toBeDefined();
      const state = inputRequired?.state ?? '';
      const late = await start(NAME, {}, { ...ABLE, state, answers: { 'server-1': accept } })
        .answer;
      expect(late.error).toMatchObject({ class: 'timeout', reason: { code: 'parked_call_gone' } });
    },
  );

  verifies('hub:asks-restart', 'is interrupted by a restart of the daemon', async () => {
    const { start } = await asking(elicits);
    const { inputRequired } = await start(NAME, {}, ABLE).answer;
    const next = await asking(elicits);
    const state = inputRequired?.state ?? '';
    // The seal is the same, and the run of the daemon is another.
    const late = await next.start(NAME, {}, { ...ABLE, state, answers: { 'server-1': accept } })
      .answer;
    expect(late.error).toMatchObject({
      class: 'interrupted',
      reason: { code: 'parked_call_restarted' },
    });
  });

  test('may ask again and again, but not without end', async () => {
    const { start, ongoing } = await asking(async (call, connection) => {
      for (let count = 0; ; count++) {
        const { error } = await connection.ask(`q${count}`, 'elicitation/create', ELICITATION);
        if (error) return answerWith(connection, call, error);
      }
    });
    let answer = await start(NAME, {}, ABLE).answer;
    let rounds = 0;
    while (answer.inputRequired) {
      rounds += 1;
      const { state, questions } = answer.inputRequired;
      const answers = Object.fromEntries(Object.keys(questions).map((name) => [name, accept]));
      answer = await start(NAME, {}, { ...ABLE, state, answers }).answer;
    }
    expect(rounds).toBe(64);
    expect(answer.error).toMatchObject({
      class: 'tool_error',
      reason: { code: 'server_asks_too_often' },
    });
    expect(ongoing.parked).toBe(0);
  });

  test('asks several things at once in one round, and the rest in the next', async () => {
    const { start } = await asking(async (call, connection) => {
      const answers = await Promise.all([
        connection.ask('a', 'elicitation/create', ELICITATION),
        connection.ask('b', 'roots/list'),
      ]);
      answerWith(
        connection,
        call,
        answers.map(({ result }) => result),
      );
    });
    const first = await start(NAME, {}, ABLE).answer;
    expect(Object.keys(first.inputRequired?.questions ?? {})).toEqual(['server-1', 'server-2']);
    const half = await start(
      NAME,
      {},
      {
        ...ABLE,
        state: first.inputRequired?.state ?? '',
        answers: { 'server-1': accept },
      },
    ).answer;
    expect(Object.keys(half.inputRequired?.questions ?? {})).toEqual(['server-2']);
    const roots = { roots: [{ uri: 'file:///work' }] };
    const whole = await start(
      NAME,
      {},
      {
        ...ABLE,
        state: half.inputRequired?.state ?? '',
        answers: { 'server-2': roots },
      },
    ).answer;
    expect(JSON.parse(whole.text)).toEqual([accept, roots]);
  });

  test('is not waited for when the client repeats an answer that was taken', async () => {
    const { start } = await asking(async (call, connection) => {
      const answer = await connection.ask('a', 'elicitation/create', ELICITATION);
      await settled();
      answerWith(connection, call, answer.result);
    });
    const { inputRequired } = await start(NAME, {}, ABLE).answer;
    const again = {
      ...ABLE,
      state: inputRequired?.state ?? '',
      answers: { 'server-1': accept },
    };
    const both = await Promise.all([start(NAME, {}, again).answer, start(NAME, {}, again).answer]);
    expect(both.map(({ text }) => JSON.parse(text) as unknown)).toEqual([accept, accept]);
  });

  test('does not run out of its time while the client answers', async () => {
    const { start, clock } = await asking(elicits, { config: { one: { callTimeoutMs: 60_000 } } });
    const { inputRequired } = await start(NAME, {}, ABLE).answer;
    clock.advance(9 * 60_000);
    const state = inputRequired?.state ?? '';
    const { text } = await start(NAME, {}, { ...ABLE, state, answers: { 'server-1': accept } })
      .answer;
    expect(JSON.parse(text)).toEqual(accept);
  });

  test('leaves its place to other calls while the client answers', async () => {
    const { start } = await asking(
      (call, connection) =>
        call.params?.['arguments'] && 'plain' in (call.params['arguments'] as object)
          ? answerWith(connection, call, 'plain')
          : elicits(call, connection),
      { config: { one: { maxConcurrent: 1 } } },
    );
    const { inputRequired } = await start(NAME, {}, ABLE).answer;
    expect(inputRequired).toBeDefined();
    expect((await start(NAME, { plain: true }, ABLE).answer).text).toBe('"plain"');
  });

  test('takes its question back: the call ends for the client that answers later', async () => {
    const { start } = await asking(async (call, connection) => {
      const asked = connection.ask('a', 'elicitation/create', ELICITATION);
      await settled();
      connection.send({ method: 'notifications/cancelled', params: { requestId: 'a' } });
      await asked;
      answerWith(connection, call, 'without you');
    });
    const { inputRequired } = await start(NAME, {}, ABLE).answer;
    await settled();
    const state = inputRequired?.state ?? '';
    const late = await start(NAME, {}, { ...ABLE, state, answers: { 'server-1': accept } }).answer;
    expect(late.text).toBe('"without you"');
  });

  test('is cancelled when the client will not answer', async () => {
    const { start, connection, ongoing } = await asking(elicits);
    const { inputRequired } = await start(NAME, {}, ABLE).answer;
    inputRequired?.abandon?.();
    await settled();
    expect(ongoing.parked).toBe(0);
    expect(lastRequest(connection, 'notifications/cancelled')).toBeDefined();
  });

  test('is refused when too many of a caller wait for answers', async () => {
    const { start } = await asking(elicits, { config: { one: { shared: false } } });
    for (let count = 0; count < 16; count++) {
      const { inputRequired } = await start(NAME, { count }, ABLE).answer;
      expect(inputRequired).toBeDefined();
    }
    const { text } = await start(NAME, { count: 16 }, ABLE).answer;
    expect(text).toContain('too many calls wait for answers already');
    const other = { ...OWNER, principal: 'bert' };
    expect((await start(NAME, {}, { ...ABLE, caller: other }).answer).inputRequired).toBeDefined();
  });
});

describe('a question that belongs to no call for certain', () => {
  verifies(
    'hub:asks-whose',
    'is refused, and from then on each caller has a connection',
    async () => {
      const { start, server, connection } = await asking(() => undefined);
      const callers = ['anna', 'bert'].map((principal) => ({ ...OWNER, principal }));
      const running = callers.map((caller) => start(NAME, {}, { ...ABLE, caller }));
      await settled();
      const { error } = await connection.ask('a', 'elicitation/create', ELICITATION);
      expect(error).toMatchObject({ code: -32601 });
      for (const caller of callers) start(NAME, { again: true }, { ...ABLE, caller });
      await settled();
      expect(server.connections).toHaveLength(3);
      for (const call of running) call.cancel();
    },
  );
});

describe('roots', () => {
  const listsRoots = async (call: RpcMessage, connection: ScriptedConnection) => {
    const { result } = await connection.ask(`r${call.id}`, 'roots/list');
    answerWith(connection, call, result);
  };

  verifies('hub:roots', 'are those of the caller alone', async () => {
    const { answer } = await asking(listsRoots);
    const anna = { principal: 'anna', scopes: ['*'], roots: ['/home/anna/a b'] };
    const bert = { principal: 'bert', scopes: ['*'], roots: [] };
    const ofAnna = await answer(NAME, {}, { ...ABLE, caller: anna });
    const ofBert = await answer(NAME, {}, { ...ABLE, caller: bert });
    expect(JSON.parse(ofAnna.text)).toEqual({ roots: [{ uri: 'file:///home/anna/a%20b' }] });
    expect(JSON.parse(ofBert.text)).toEqual({ roots: [] });
  });

  test('are declared only where a server runs for one caller', async () => {
    const { connection } = await asking(listsRoots);
    expect(lastRequest(connection, 'initialize').params?.['capabilities']).toEqual({
      elicitation: { form: {}, url: {} },
    });
    const own = await asking(listsRoots, { config: { one: { shared: false } } });
    expect(lastRequest(own.connection, 'initialize').params?.['capabilities']).toMatchObject({
      roots: {},
    });
  });
});

describe('sampling', () => {
  const PROMPT = {
    messages: [{ role: 'user', content: { type: 'text', text: 'Two and two?' } }],
    systemPrompt: 'Be short.',
    maxTokens: 50,
  };
  const samples = async (call: RpcMessage, connection: ScriptedConnection) => {
    const answer = await connection.ask('s', 'sampling/createMessage', PROMPT);
    answerWith(connection, call, answer.result ?? answer.error);
  };

  verifies('hub:sampling', 'is denied unless the settings allow it', async () => {
    const { answer, connection } = await asking(samples);
    expect(lastRequest(connection, 'initialize').params?.['capabilities']).not.toHaveProperty(
      'sampling',
    );
    const { text } = await answer(NAME, {}, ABLE);
    expect(JSON.parse(text)).toMatchObject({ code: -32601 });
  });

  test('goes to the client where the settings say so', async () => {
    const { start } = await asking(samples, { config: { one: { sampling: 'client' } } });
    const { inputRequired } = await start(NAME, {}, ABLE).answer;
    expect(inputRequired?.questions).toEqual({ 'server-1': { is: 'sample', request: PROMPT } });
  });

  test('needs the right to use chat where our models answer', async () => {
    const { answer, registry } = await asking(samples, { config: { one: { sampling: 'models' } } });
    const { text } = await answer(NAME, {}, ABLE);
    expect(JSON.parse(text)).toMatchObject({
      message: 'The MCP server one wants to ask a model for a caller that may not use chat.',
    });
    expect(registry.find(NAME)).toHaveProperty('previewAsk');
  });
});

describe('a server of the modern era that asks', () => {
  const INPUT = {
    resultType: 'input_required',
    requestState: 'its state',
    inputRequests: { who: { method: 'elicitation/create', params: ELICITATION } },
  };

  verifies('hub:asks-modern', 'is asked again with the answer and its own state', async () => {
    const { start, connection, ongoing } = await asking(
      (call, { send }) => {
        const { inputResponses, requestState } = call.params ?? {};
        if (!inputResponses) return send({ id: call.id, result: INPUT });
        answerWith(connection, call, { inputResponses, requestState });
      },
      { era: 'modern' },
    );
    const first = await start(NAME, {}, ABLE).answer;
    expect(first.inputRequired?.questions).toEqual({
      'server-1-1': { is: 'form', message: 'The MCP server one asks: Who are you?', schema: FORM },
    });
    expect(ongoing.parked).toBe(0);
    const capabilities = lastRequest(connection).params?.['_meta'];
    expect(capabilities).toMatchObject({
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} }, roots: {} },
    });
    const state = first.inputRequired?.state ?? '';
    const answers = { 'server-1-1': accept };
    const second = await start(NAME, {}, { ...ABLE, state, answers }).answer;
    expect(JSON.parse(second.text)).toEqual({
      inputResponses: { who: accept },
      requestState: 'its state',
    });
  });

  test('is told with each request what the client can do', async () => {
    const { start, connection } = await asking((call, own) => answerWith(own, call, 'ok'), {
      era: 'modern',
    });
    await start(NAME, {}, { clientLogLevel: 'warning' }).answer;
    expect(lastRequest(connection).params?.['_meta']).toMatchObject({
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/logLevel': 'warning',
    });
  });
});
