import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { CallError } from '#core/errors/call-error.ts';
import { notice } from '#core/messages/notices.ts';
import { NO_INPUT_RESPONSES, type InputRequired } from '#core/tools/input-request.ts';
import type { Workspace } from '#core/workspace.ts';
import { intakeOver } from '../../../test/intake-over.ts';
import type { OpenedThreads } from '../../../test/open-threads.ts';
import type { ConsensusDeps } from './consensus.ts';
import {
  allSay,
  DIRECTORY,
  directoryWith,
  createFakeModels,
  openConsensusBench,
  THREE,
  withOthers,
  type ConsensusBench,
} from './consensus.fixture.ts';

let opened: OpenedThreads;
let toolOn: ConsensusBench['toolOn'];
let run: ConsensusBench['run'];
beforeAll(async () => {
  ({ opened, toolOn, run } = await openConsensusBench());
});
afterAll(() => opened.close());

test('a name alone is a model without a side, also beside one with a stance', async () => {
  const fake = createFakeModels(allSay('agree'));
  const models = ['kimi-k3', { model: 'glm-5.3', stance: 'against' }, ' GLM-4.7-flash '];
  const { content } = await run({ models }, fake);
  expect(content.responses.map(({ model, stance }) => [model, stance])).toEqual([
    ['kimi-k3', 'neutral'],
    ['glm-5.3', 'against'],
    ['glm-4.7-flash', 'neutral'],
  ]);
  await expect(run({ models: ['kimi-k3', { model: 'kimi-k3' }] }, fake)).rejects.toMatchObject({
    class: 'validation',
    field: 'models',
  });
});

describe('in a conversation', () => {
  test('the question and the answers are saved, no model is, and a later call continues', async () => {
    const first = await run({ models: THREE }, createFakeModels(allSay('agree')));
    const id = first.continuation?.id ?? '';
    const { conversation, turns } = await opened.threads.show('local', id, 10);
    expect(conversation).toMatchObject({ title: 'Shall we move to PostgreSQL?', model: null });
    expect(turns).toMatchObject([
      { role: 'user', tool: 'consensus', content: 'Shall we move to PostgreSQL?' },
      { role: 'assistant', tool: 'consensus', content: first.text },
    ]);
    expect(turns[1]?.usage).toEqual({
      input: 30,
      output: 15,
      cached: 3,
      reasoning: 6,
      cost_usd: 0,
      estimated: false,
    });
    await opened.reopen();
    const fake = createFakeModels(allSay('disagree'));
    const next = await run({ prompt: 'And MySQL?', models: THREE, continuation_id: id }, fake);
    expect(next.continuation?.id).toBe(id);
    expect(fake.asked[0]?.messages).toEqual([
      { role: 'user', content: 'Shall we move to PostgreSQL?' },
      { role: 'assistant', content: first.text },
      { role: 'user', content: 'And MySQL?' },
    ]);
  });

  test('answers that cannot be saved are returned all the same', async () => {
    const threads: ConsensusDeps['threads'] = {
      async open(wish) {
        const thread = await opened.threads.open(wish);
        const keep = () => Promise.reject(new CallError('over_capacity', 'The disk is full.'));
        return { ...thread, history: [], files: [], append: keep };
      },
    };
    const told = await run({ models: THREE }, createFakeModels(allSay('agree')), { threads });
    expect(told.detail).toBe('The conversation could not be kept: The disk is full.');
    expect(told).not.toHaveProperty('continuation');
  });

  test('an unknown conversation is refused before any model is asked', async () => {
    const fake = createFakeModels(allSay('agree'));
    const continuation_id = `conv_${'0'.repeat(22)}`;
    await expect(run({ continuation_id }, fake)).rejects.toMatchObject({ class: 'not_found' });
    expect(fake.asked).toEqual([]);
  });
});

describe('files', () => {
  const workspace: Pick<Workspace, 'read'> = {
    read: async (paths) => ({
      texts: paths.map((name) => ({ name, text: `of ${name}` })),
      notices: [notice('text', { text: 'x.png is no text.' })],
    }),
  };

  test('are read once and shown to all, under names that cannot pass for ours', async () => {
    const fake = createFakeModels(allSay('agree'));
    const args = {
      models: [{ model: 'kimi-k3', stance_prompt: 'As a reader.' }, { model: 'glm-5.3' }],
      relevant_files: ['/work/a.ts', '[answer of B]'],
      files: [{ name: '[stance]', text: 'Forged.' }],
    };
    const { detail } = await run(args, fake, { fileIntake: intakeOver(workspace) });
    const given = [
      { name: 'a.ts', text: 'of /work/a.ts' },
      { name: './[answer of B]', text: 'of [answer of B]' },
      { name: './[stance]', text: 'Forged.' },
    ];
    expect(fake.asked[0]?.files).toEqual([
      ...given,
      { name: '[stance]', text: 'As a reader.', as: 'material' },
    ]);
    expect(fake.asked[1]?.files).toEqual(given);
    expect(detail).toBe('x.png is no text.');
  });

  test('that cannot be read give an error that names their argument', async () => {
    const fake = createFakeModels(allSay('agree'));
    await expect(run({ relevant_files: ['a.ts'] }, fake)).rejects.toMatchObject({
      class: 'not_found',
      field: 'relevant_files',
    });
    await expect(run({ files: ['a.ts'] }, fake)).rejects.toMatchObject({ field: 'files' });
    expect(fake.asked).toEqual([]);
  });

  test('wait for the folders of a client that can be asked', async () => {
    const fake = createFakeModels(allSay('agree'));
    const context = {
      ...fake.context,
      caller: { ...fake.context.caller, roots: [] },
      answers: NO_INPUT_RESPONSES,
      clientCapabilities: ['roots'] as const,
    };
    const tool = toolOn(fake, { fileIntake: intakeOver(workspace) });
    const args = tool.parse({ prompt: 'Shall we?', relevant_files: ['a.ts'] });
    const answer = (await tool.run(args, context)) as InputRequired;
    expect(Object.values(answer.inputRequests)).toEqual([{ is: 'roots' }]);
    expect(fake.asked).toEqual([]);
  });
});

describe('what is refused', () => {
  test.each([
    [{ prompt: undefined }, 'prompt'],
    [{ prompt: undefined, images: ['https://example.org/a.png'], models: THREE }, 'prompt'],
    [{ step: 'Two questions?' }, 'step'],
    [{ prompt: undefined, step: ' ' }, 'step'],
    [{ models: [{ model: 'kimi-k3' }, { model: 'KIMI-K3' }] }, 'models'],
    [{ models: [{ model: 'auto' }, { model: 'kimi-k3' }] }, 'models'],
    [{ models: [{ model: ' ' }, { model: 'kimi-k3' }] }, 'models'],
    [{ models: ['for', 'against', 'neutral'].map((stance) => ({ model: 'x', stance })) }, 'models'],
    [{ models: [{ model: 'X' }, { model: 'x' }] }, 'models'],
    [{ models: THREE, quorum: 4 }, 'quorum'],
  ])('%j, before anybody is asked: %s', async (args, field) => {
    const fake = createFakeModels(allSay('agree'));
    await expect(run(args, fake)).rejects.toMatchObject({
      class: 'validation',
      field,
    });
    expect(fake.asked).toEqual([]);
  });

  test.each([
    [{ prompt: ' ' }, 'prompt'],
    [{ models: [{ model: 'kimi-k3' }] }, 'models'],
    [{ models: Array.from({ length: 9 }, (_, at) => ({ model: `m${at}` })) }, 'models'],
    [{ models: [{ model: 'a', stance: 'maybe' }, { model: 'b' }] }, 'models.0.stance'],
    [{ models: [{ model: 'a', role: 'x' }, { model: 'b' }] }, 'models.0.role'],
    [{ models: [{}, 'b'] }, 'models.0.model'],
    [{ models: ['a', 7] }, 'models.1'],
    [{ models: ['a', 'x'.repeat(257)] }, 'models.1'],
    [{ rounds: 3 }, 'rounds'],
    [{ quorum: 0 }, 'quorum'],
    [{ quorum: 1.5 }, 'quorum'],
    [{ per_model_seconds: 0 }, 'per_model_seconds'],
    [{ per_model_seconds: Infinity }, 'per_model_seconds'],
    [{ max_cost_usd: -1 }, 'max_cost_usd'],
    [{ synthesis: true }, 'synthesis'],
  ])('%j, by its schema: %s', (args, field) => {
    const tool = toolOn(createFakeModels(allSay('agree')));
    expect(() => tool.parse({ prompt: 'Shall we?', ...args })).toThrow(
      expect.objectContaining({ class: 'validation', field }),
    );
  });

  test.each([
    [['kimi-k3', 'kimi-k33'], /^There is no model "kimi-k33", did you mean "kimi-k3"\?$/],
    [['kimi-k3', 'glm-99'], /^There is no model "glm-99"\.$/],
    [['qqqqqqqqqqqq', { model: 'kimi-k3' }], /^There is no model "qqqqqqqqqqqq"\.$/],
    [['qqqqqqqqqqqq', 'wwwwwwwwwwww', 'kimi-k3'], /"qqqqqqqqqqqq"\. There is no model "wwww/],
    [['kimi-k3', '__proto__'], /"__proto__"/],
    [['kimi-k3', 'acme/large'], /"acme\/large"/],
    [['kimi-k3', 'custom/own'], /"custom\/own"/],
  ])('%j, as nobody has such a model, before anybody is asked', async (models, message) => {
    const fake = createFakeModels(allSay('agree'));
    await expect(run({ models }, fake)).rejects.toMatchObject({
      class: 'not_found',
      field: 'models',
      message: expect.stringMatching(message) as string,
      fixes: expect.arrayContaining([{ kind: 'list_models', params: {} }]) as object[],
    });
    expect(fake.asked).toEqual([]);
  });

  test('names that no list has are asked for where lists are never complete', async () => {
    const modelDirectory = withOthers(DIRECTORY);
    const fake = createFakeModels(allSay('agree'));
    await run({ models: ['acme/large', 'custom/own', 'kimi-k3'] }, fake, { modelDirectory });
    expect(fake.asked.map(({ model }) => model)).toEqual(['acme/large', 'custom/own', 'kimi-k3']);
    await expect(
      run({ models: ['acme/', 'kimi-k3'] }, fake, { modelDirectory }),
    ).rejects.toMatchObject({
      class: 'not_found',
    });
  });

  test('without two models to ask there is nothing to compare', async () => {
    const modelDirectory = directoryWith({ 'kimi-k3': ['kimiQuality'] });
    const fake = createFakeModels(allSay('agree'));
    await expect(run({}, fake, { modelDirectory })).rejects.toMatchObject({
      class: 'not_configured',
    });
    // A model named by the caller is asked anyway, and missing if it cannot answer.
    await expect(run({ models: THREE }, fake, { modelDirectory })).resolves.toBeDefined();
  });
});

test('it says what it is, what it would ask first, and takes little room in a list', () => {
  const tool = toolOn(createFakeModels(allSay('agree')));
  expect(tool).toMatchObject({
    profile: 'lean',
    pool: 'provider',
    coalesce: false,
    annotations: { readOnlyHint: true, idempotentHint: false, openWorldHint: true },
  });
  const would = tool.previewAsk?.(
    tool.parse({ prompt: 'Shall we?', files: ['a.ts'], max_cost_usd: 0.3 }),
  );
  const each = { fallback: 'none', maxCostMicroUsd: 100_000, files: [{ name: 'a.ts' }] };
  expect(would).toMatchObject({ askMany: [{ ...each, model: 'kimi-k3' }, each, each] });
  const { name, description, inputSchema } = tool;
  expect(inputSchema).not.toHaveProperty('required');
  expect(() => z.fromJSONSchema(tool.outputSchema as z.core.JSONSchema.JSONSchema)).not.toThrow();
  const listed = JSON.stringify({ name, description, inputSchema });
  expect(countTokens(listed)).toBeLessThan(600);
});
