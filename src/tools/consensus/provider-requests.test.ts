import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AskRequest } from '#core/llm/ask.ts';
import type { ToolContext } from '#core/tools/tool.ts';
import { askSuite } from '../../../test/cases/ask-suite.ts';
import type { OpenedThreads } from '../../../test/open-threads.ts';
import {
  DIRECTORY,
  createFakeModels,
  openConsensusBench,
  withOthers,
  type ConsensusToolResult,
  type ConsensusBench,
} from './consensus.fixture.ts';

const suite = askSuite({ providers: ['kimi', 'glm', 'openrouter'] });
let opened: OpenedThreads;
let toolOn: ConsensusBench['toolOn'];
beforeAll(async () => {
  ({ opened, toolOn } = await openConsensusBench());
});
afterAll(() => opened.close());

const ALONE: AskRequest = {
  model: 'glm-5.3',
  messages: [{ role: 'user', content: 'Shall we?' }],
  fallback: 'none',
  lastResort: 'none',
  timeoutMs: 300,
};
/** Number of stream events after which part of the answer has arrived. */
const SOME = 14;

test.each([
  ['says nothing', { id: 'F5.silent', vendor: 'glm', times: 0 }],
  ['stops in the middle', { id: 'F5.stall', after: SOME, vendor: 'glm', times: 0 }],
])('a model that %s is left at its own time, and nobody stands in', async (_, fault) => {
  const rig = await suite.rig();
  suite.harness().emulator.fault(fault);
  const { error } = await rig.ask(ALONE, { listener: {} });
  expect(error).toMatchObject({ class: 'timeout' });
  expect(rig.chats('kimi')).toEqual([]);
  expect(rig.held()).toEqual([]);
});

test('of three providers’ models those of one fail, and the other still answers', async () => {
  const rig = await suite.rig();
  suite.harness().emulator.fault({ id: 'F4.502', vendor: 'glm', times: 0 });
  const fake = createFakeModels(() => ({ says: '' }));
  const { manager } = rig;
  const by = rig.by({ tool: 'consensus' });
  const context: ToolContext = {
    ...fake.context,
    ask: (request, listener) => manager.ask(request, by, listener),
  };
  const tool = toolOn(fake);
  const models = [{ model: 'kimi-k3' }, { model: 'glm-5.3' }, { model: 'kimi-k2.6' }];
  const args = tool.parse({ prompt: 'Shall we move to PostgreSQL?', models, rounds: 2 });
  const { content } = (await tool.run(args, context)) as ConsensusToolResult;
  expect(content.responses.map(({ model, status }) => `${model} ${status}`)).toEqual([
    'kimi-k3 success',
    'glm-5.3 error',
    'kimi-k2.6 success',
  ]);
  expect(content).toMatchObject({ rounds: 2, quorum: { needed: 2, answered: 2, met: true } });
  // Two in each round, and no replacement for the third.
  expect(rig.chats('kimi')).toHaveLength(4);
});

test('a model that exceeds its time is named in the error, and an unknown name is refused by its provider', async () => {
  const rig = await suite.rig();
  const fake = createFakeModels(() => ({ says: '' }));
  const by = rig.by({ tool: 'consensus' });
  const context: ToolContext = {
    ...fake.context,
    deadline: by.deadline,
    ask: (request, listener) => rig.manager.ask(request, by, listener),
  };
  const clock = { monotonic: () => performance.now() };
  const tool = toolOn(fake, { clock, modelDirectory: withOthers(DIRECTORY) });
  const answersOf = async (models: readonly string[], seconds: number) => {
    const args = tool.parse({ prompt: 'Shall we?', models, per_model_seconds: seconds });
    return ((await tool.run(args, context)) as ConsensusToolResult).content.responses;
  };
  expect(await answersOf(['kimi-k3', 'z-ai/glm-99'], 60)).toMatchObject([
    { model: 'kimi-k3', status: 'success' },
    { model: 'z-ai/glm-99', status: 'error', error_class: 'not_found' },
  ]);
  suite.harness().emulator.fault({ id: 'F5.silent', vendor: 'glm', times: 0 });
  expect(await answersOf(['kimi-k3', 'glm-5.3'], 5)).toMatchObject([
    { model: 'kimi-k3', status: 'success' },
    { status: 'timeout', error: 'It did not answer within 5 s (per_model_seconds).' },
  ]);
});
