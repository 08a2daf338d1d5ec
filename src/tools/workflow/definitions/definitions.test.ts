import { readdirSync, readFileSync } from 'node:fs';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { CONFIDENCES, type WorkflowDefinition } from '../definition.ts';
import { WORKFLOWS } from './index.ts';
import { GROUND_RULES, SEVERITY_SCALE } from './shared.prompt.ts';
import { parseFields, schemaOf, viewOf } from './view.fixture.ts';
import { verifies } from '../../../../test/verifies.ts';

const STATUSES: Readonly<Record<string, readonly [stem: string, ready: string, skipped: string]>> =
  {
    analyze: [
      'analysis',
      'analysis_complete_ready_for_implementation',
      'skipped_due_to_certain_confidence',
    ],
    codereview: [
      'code_review',
      'code_review_complete_ready_for_implementation',
      'skipped_due_to_certain_confidence',
    ],
    debug: [
      'investigation',
      'investigation_complete_ready_for_implementation',
      'skipped_due_to_certain_confidence',
    ],
    docgen: ['documentation_analysis', 'documentation_analysis_complete', 'skipped_by_tool_design'],
    precommit: [
      'validation',
      'validation_complete_ready_for_commit',
      'skipped_due_to_certain_confidence',
    ],
    refactor: [
      'refactoring_analysis',
      'refactoring_analysis_complete_ready_for_implementation',
      'skipped_due_to_complete_refactoring_confidence',
    ],
    secaudit: [
      'security_audit',
      'security_audit_complete_ready_for_implementation',
      'skipped_due_to_certain_audit_confidence',
    ],
    testgen: [
      'test_generation',
      'test_generation_complete_ready_for_implementation',
      'skipped_due_to_certain_test_confidence',
    ],
    thinkdeep: [
      'thinking',
      'thinking_complete_ready_for_implementation',
      'skipped_due_to_certain_confidence',
    ],
    tracer: ['tracing', 'tracing_complete', 'skipped_by_tool_design'],
  };

const ENUMS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  analyze: {
    analysis_type: ['architecture', 'performance', 'security', 'quality', 'general'],
    output_format: ['summary', 'detailed', 'actionable'],
  },
  codereview: {
    review_type: ['full', 'security', 'performance', 'quick'],
    severity_filter: ['critical', 'high', 'medium', 'low', 'all'],
    review_validation_type: ['external', 'internal'],
  },
  precommit: {
    severity_filter: ['critical', 'high', 'medium', 'low', 'all'],
    precommit_type: ['external', 'internal'],
  },
  refactor: { refactor_type: ['codesmells', 'decompose', 'modernize', 'organization'] },
  secaudit: {
    threat_level: ['low', 'medium', 'high', 'critical'],
    audit_focus: ['owasp', 'compliance', 'infrastructure', 'dependencies', 'comprehensive'],
    severity_filter: ['critical', 'high', 'medium', 'low', 'all'],
  },
  tracer: { trace_mode: ['precision', 'dependencies', 'ask'] },
};

const ASKED = WORKFLOWS.filter(({ expert }) => expert === 'asked');

/** All arguments in which definitions may differ, one at a time. */
function variants({ name, fields }: WorkflowDefinition): readonly Record<string, unknown>[] {
  const choices = Object.entries(ENUMS[name] ?? {}).flatMap(([field, values]) =>
    values.map((value) => ({ [field]: value })),
  );
  const flags = Object.keys(fields)
    .filter((field) => schemaFieldAccepts(fields[field], false))
    .map((field) => ({ [field]: false }));
  return [{}, ...choices, ...flags];
}

function schemaFieldAccepts(field: z.core.$ZodType | undefined, value: unknown): boolean {
  return field !== undefined && z.safeParse(field, value).success;
}

function stagesOf(definition: WorkflowDefinition) {
  const { confidences = CONFIDENCES } = definition;
  const sure = confidences.at(-1) ?? '';
  return [
    { step_number: 1, confidence: 'exploring' },
    { step_number: 3, confidence: confidences[1] ?? '' },
    { step_number: 4, confidence: sure },
  ];
}

/** Names by which one tool would mention another. */
function strangeWords({ name, stem }: WorkflowDefinition): readonly RegExp[] {
  const own = `${name} ${stem.replaceAll('_', ' ')}`;
  return WORKFLOWS.flatMap((other) => [other.name, other.stem.replaceAll('_', ' ')])
    .filter((words) => !own.includes(words))
    .map((words) => new RegExp(String.raw`\b${words.replaceAll(' ', '[ _]')}\b`, 'i'));
}

const SENTENCE = /^[A-Z][^\n]+[.?]$/;

test('the list holds every definition, each in the file of its name', () => {
  const here = new URL('.', import.meta.url);
  const defined = readdirSync(here)
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .flatMap((file) => {
      const source = readFileSync(new URL(file, here), 'utf8');
      const [, name] = /^export const (\w+): WorkflowDefinition</m.exec(source) ?? [];
      return name === undefined ? [] : [{ name, file }];
    });
  for (const { name, file } of defined) expect(file).toBe(`${name}.ts`);
  const names = WORKFLOWS.map(({ name }) => name);
  expect(names).toEqual(names.toSorted());
  expect(names).toEqual(defined.map(({ name }) => name).toSorted());
  expect(Object.keys(STATUSES)).toEqual(names);
});

verifies(
  'workflow:prompts',
  'no two of them share a title, a description, a stem or a prompt',
  () => {
    for (const part of ['title', 'description', 'stem'] as const) {
      expect(new Set(WORKFLOWS.map((each) => each[part])).size).toBe(WORKFLOWS.length);
    }
    const prompts = ASKED.map(({ prompt }) => prompt);
    expect(new Set(prompts).size).toBe(prompts.length);
    const openings = prompts.map((prompt) => prompt.slice(0, prompt.indexOf('.')));
    expect(new Set(openings).size).toBe(openings.length);
  },
);

describe.each(WORKFLOWS.map((definition) => ({ ...definition, definition })))(
  '$name',
  ({ name, definition }) => {
    test('has the statuses that clients know', () => {
      const { stem, ready, skipped } = definition;
      expect([stem, ready, skipped]).toEqual(STATUSES[name]);
    });

    test('is described in at most two short sentences', () => {
      const { description } = definition;
      expect(description.match(/[.?!](\s|$)/g)?.length).toBeLessThanOrEqual(2);
      expect(countTokens(description)).toBeLessThanOrEqual(45);
    });

    test('has fields that cost a tool list little', () => {
      const listed = JSON.stringify(z.toJSONSchema(schemaOf(definition), { io: 'input' }));
      expect(countTokens(listed)).toBeLessThanOrEqual(175);
    });

    test('accepts every value of its choices, and no other', () => {
      for (const [field, values] of Object.entries(ENUMS[name] ?? {})) {
        for (const value of values) {
          expect(parseFields(definition, { [field]: value })).toMatchObject({ [field]: value });
        }
        for (const wrong of ['', 'constructor', 'ALL', 7, null, ['full']]) {
          expect(() => parseFields(definition, { [field]: wrong })).toThrow(z.ZodError);
        }
      }
    });

    test('lists its choices in the schema, so that none is left out of these tests', () => {
      const { properties = {} } = z.toJSONSchema(schemaOf(definition), { io: 'input' });
      const listed = Object.entries(properties).flatMap(([field, schema]) =>
        typeof schema === 'object' && schema.enum ? [[field, schema.enum]] : [],
      );
      expect(Object.fromEntries(listed)).toEqual(ENUMS[name] ?? {});
    });

    test('refuses texts and lists without end', () => {
      for (const [field, schema] of Object.entries(definition.fields)) {
        for (const huge of ['x'.repeat(2_000_000), Array.from({ length: 10_000 }, () => 'x')]) {
          expect({ field, taken: schemaFieldAccepts(schema, huge) }).toEqual({
            field,
            taken: false,
          });
        }
      }
    });

    test('says at every stage what to do next, in three to six sentences', () => {
      const strange = strangeWords(definition);
      for (const given of variants(definition)) {
        for (const step of stagesOf(definition)) {
          const actions = definition.actions(viewOf(definition, step, given));
          expect(actions.length).toBeGreaterThanOrEqual(3);
          expect(actions.length).toBeLessThanOrEqual(6);
          for (const action of actions) {
            expect(action).toMatch(SENTENCE);
            for (const words of strange) expect(action).not.toMatch(words);
          }
        }
      }
    });

    test('says something else at the beginning, in the middle and near the end', () => {
      const counts = name === 'docgen' ? { total_files_to_document: 2 } : {};
      const ended = name === 'docgen' ? { ...counts, num_files_documented: 2 } : {};
      const [first = {}, middle = {}, last = {}] = stagesOf(definition);
      const said = [
        definition.actions(viewOf(definition, first, counts)),
        definition.actions(viewOf(definition, middle, counts)),
        definition.actions(viewOf(definition, last, ended)),
      ];
      expect(new Set(said.map((actions) => actions.join('\n'))).size).toBe(3);
    });

    test('briefs the expert in whole sentences, and about nothing that is as usual', () => {
      expect(definition.brief?.(parseFields(definition)) ?? []).toEqual([]);
      for (const given of variants(definition)) {
        for (const sentence of definition.brief?.(parseFields(definition, given)) ?? []) {
          expect(sentence).toMatch(SENTENCE);
        }
      }
    });
  },
);

test.each(ASKED)('the expert of $name gets a prompt within its length', ({ prompt }) => {
  expect(prompt.split('\n').length).toBeLessThanOrEqual(35);
  expect(countTokens(prompt)).toBeLessThanOrEqual(700);
  expect(prompt).toMatch(/^You are /);
  // The format of the answer is set by the engine.
  expect(prompt).not.toMatch(/json|```/i);
  expect(prompt.split(SEVERITY_SCALE)).toHaveLength(2);
  expect(prompt.endsWith(GROUND_RULES)).toBe(true);
});

test('a workflow without an expert has no prompt', () => {
  const rest = WORKFLOWS.filter(({ expert }) => expert === 'none');
  expect(rest.map(({ name, prompt }) => [name, prompt])).toEqual([
    ['docgen', ''],
    ['tracer', ''],
  ]);
});
