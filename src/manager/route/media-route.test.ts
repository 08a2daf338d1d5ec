import { describe, expect, test } from 'vitest';
import type { InlineMedia, RouteFacts } from '#core/llm/route.ts';
import {
  sketchFacts,
  sketchRoutingState,
  type RoutingSketch,
} from '../../../test/cases/routing-sketch.ts';
import { makePlan } from './plan.ts';

const MB = 1024 * 1024;
const FIELD = 'messages[0].content[1]';

function inline(kind: InlineMedia['kind'], mediaType: string, bytes = 100): InlineMedia {
  return { kind, mediaType, bytes, field: FIELD };
}

const picture = (mediaType: string, bytes?: number): Partial<RouteFacts> => ({
  images: 1,
  inline: [inline('image', mediaType, bytes)],
});
const document = (...media: InlineMedia[]): Partial<RouteFacts> => ({
  files: { count: 1, tokens: 100, documents: 1, scans: 0, attached: 1 },
  ...(media.length > 0 && { inline: media }),
});
const PDF = document(inline('file', 'application/pdf'));

function planned(facts: Partial<RouteFacts>, world?: RoutingSketch) {
  const about = { tool: 'gateway_chat', lastResort: 'none', search: 'off', ...facts } as const;
  return makePlan(sketchFacts(about), sketchRoutingState(world));
}

function asked(facts: Partial<RouteFacts>, world?: RoutingSketch): readonly string[] {
  const plan = planned(facts, world);
  if (plan.is === 'no_candidate') throw plan.error;
  return plan.plan.candidates.map(({ provider, model }) => `${provider}/${model}`);
}

function refused(facts: Partial<RouteFacts>, world?: RoutingSketch) {
  const plan = planned(facts, world);
  return plan.is === 'no_candidate' ? plan.error : undefined;
}

describe('a picture', () => {
  test('that GLM takes is GLM’s', () => {
    expect(asked(picture('image/png', 5 * MB))[0]).toBe('glm/glm-4.6v');
  });

  test.each([
    ['of a type', 'image/webp', 100],
    ['of a size', 'image/png', 6 * MB],
  ])('%s that GLM does not take goes to Kimi at once', (_, type, bytes) => {
    const all = asked(picture(type, bytes));
    expect(all[0]).toMatch(/^kimi\//);
    expect(all.filter((each) => each.startsWith('glm/'))).toEqual([]);
    expect(asked({ ...picture(type, bytes), model: 'glm-4.6v' })[0]).toMatch(/^kimi\//);
  });

  test('that no model supports is refused with its field and the supported types', () => {
    const facts = picture('image/webp');
    expect(refused(facts, { keys: ['glm'] })).toMatchObject({
      class: 'validation',
      field: FIELD,
      message: expect.stringContaining('it takes pictures as JPEG or PNG of up to 5 MB'),
      fix: expect.stringMatching(/JPEG or PNG.*exai keys add kimi/),
    });
    const byTool = { ...facts, tool: 'chat', lastResort: 'local' } as const;
    expect(refused(byTool, { keys: ['glm'] })).toMatchObject({
      class: 'validation',
      field: 'images',
      fix: expect.stringContaining('JPEG or PNG'),
    });
  });

  test('for a model that must be the one is refused with the reason', () => {
    const alone = { ...picture('image/webp'), model: 'glm-4.6v', fallback: 'none' } as const;
    expect(refused(alone)).toMatchObject({
      class: 'validation',
      field: 'model',
      message: expect.stringContaining('it takes pictures as JPEG or PNG'),
    });
  });
});

describe('a document', () => {
  test('as bytes goes to OpenRouter, which parses it for every model', () => {
    const keys = ['kimi', 'glm', 'custom', 'openrouter'] as const;
    const all = asked(PDF, { keys });
    expect(all.length).toBeGreaterThan(1);
    expect(all.filter((each) => !each.startsWith('openrouter/'))).toEqual([]);
    expect(asked(PDF, { keys: ['kimi', 'openrouter'] })[0]).toMatch(/^openrouter\//);
  });

  test('by its address may go to GLM', () => {
    expect(asked(document())[0]).toMatch(/^glm\//);
  });

  test.each([[['kimi']], [['glm']], [['custom']], [['kimi', 'glm', 'custom']]] as const)(
    'as bytes is refused where there are only %j, and the error says what helps',
    (keys) => {
      expect(refused(PDF, { keys })).toMatchObject({
        class: 'validation',
        field: FIELD,
        message: expect.stringContaining('takes this document'),
        fix: expect.stringMatching(/its text.*exai keys add openrouter/),
      });
    },
  );

  test('that is not text is not used by the extractive fallback either', () => {
    const facts = { ...PDF, tool: 'chat', lastResort: 'local' } as const;
    expect(refused(facts, { keys: ['kimi'] })).toMatchObject({ class: 'validation' });
    const text = { ...facts, ...document(inline('file', 'text/plain')) };
    expect(asked(text, { keys: ['kimi'] })[0]).toMatch(/^extractive\//);
  });
});

test('without a key the error does not mention images', () => {
  expect(refused(picture('image/webp'), { keys: [] })).toMatchObject({ class: 'not_configured' });
});
