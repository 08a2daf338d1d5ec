import { join } from 'node:path';
import { expect } from 'vitest';
import { statusOf, turnsOf, type ToolCase } from './tools-case.ts';
import { EXPERT_FILES } from './tools-expert-files.ts';

const YES = JSON.stringify({
  verdict: 'Do it',
  position: 'agree',
  confidence: 0.8,
  reasons: ['r'],
});

export const SIMPLE_CASES: readonly ToolCase[] = [
  {
    of: 'chat:continues',
    says: 'chat answers about a file, and goes on with what was said',
    async run(client) {
      const first = await client.call('chat', {
        prompt: 'Say exactly: The cache is in cache.ts',
        files: [join(client.folder, EXPERT_FILES.verdict)],
      });
      expect(first.envelope).toMatchObject({
        status: 'success',
        tool: 'chat',
        content: 'The cache is in cache.ts',
        continuation: { remaining_turns: 99 },
      });
      const second = await client.call('chat', {
        prompt: 'Say exactly: And nowhere else',
        continuation_id: first.id,
      });
      expect(second.envelope).toMatchObject({
        status: 'success',
        model: first.envelope.model,
        continuation: { id: first.id, remaining_turns: 98 },
      });
      expect(await turnsOf(client, first.id)).toEqual([
        ['user', 'Say exactly: The cache is in cache.ts'],
        ['assistant', 'The cache is in cache.ts'],
        ['user', 'Say exactly: And nowhere else'],
        ['assistant', 'And nowhere else'],
      ]);
    },
  },
  {
    of: 'challenge:wrapped',
    says: 'challenge gives back what was said, to be doubted',
    async run(client) {
      const { envelope, content } = await client.call('challenge', { prompt: 'Tabs are better' });
      expect(envelope).toMatchObject({ status: 'challenge_accepted', attempt: 0 });
      expect(content).toMatchObject({ original_statement: 'Tabs are better' });
    },
  },
  {
    of: 'glm:preview',
    says: 'search_tools and glm_payload_preview answer without a model',
    async run(client) {
      const help = await client.call('search_tools', { query: 'debug' });
      expect(help.content).toMatchObject({ tools: [{ name: 'debug' }] });
      const preview = await client.call('glm_payload_preview', { prompt: 'Hello' });
      expect(preview.content).toMatchObject({
        body: { messages: [{ role: 'user', content: 'Hello' }] },
      });
      expect([help, preview].map(({ envelope }) => envelope.attempt)).toEqual([0, 0]);
    },
  },
  {
    of: 'planner:tree',
    says: 'planner thinks deeply at first, then plans on, takes a revision and a branch, and ends with the whole plan',
    async run(client) {
      const step = async (number: number, id: string, more: object = {}) =>
        client.call('planner', {
          step: `Part ${number}`,
          step_number: number,
          total_steps: 6,
          next_step_required: number < 6,
          ...(id !== '' && { continuation_id: id }),
          ...more,
        });
      const first = await step(1, '');
      const { id } = first;
      const rest = [
        await step(2, id),
        await step(3, id, { is_step_revision: true, revises_step_number: 2 }),
        await step(4, id),
        await step(5, id, { is_branch_point: true, branch_from_step: 1, branch_id: 'other' }),
        await step(6, id, { branch_id: 'other' }),
      ];
      expect([first, ...rest].map(statusOf)).toEqual([
        'pause_for_deep_thinking',
        'pause_for_deep_thinking',
        'pause_for_deep_thinking',
        'pause_for_planning',
        'pause_for_planning',
        'planning_complete',
      ]);
      expect(rest.at(-1)?.content).toMatchObject({
        planning_status: { steps: 6, revisions: 1, branches: 1 },
        plan_text: expect.stringContaining('Part 6') as string,
      });
    },
  },
  {
    of: 'consensus:parallel',
    says: 'consensus asks several with their stances, twice if told',
    async run(client) {
      const models = [
        { model: 'kimi-k3', stance: 'for' },
        { model: 'glm-5.3', stance: 'against', stance_prompt: 'Think of the costs' },
      ];
      const told = await client.call('consensus', {
        prompt: `Say exactly: ${YES}`,
        models,
        rounds: 2,
      });
      expect(told.envelope.status).toBe('consensus_workflow_complete');
      expect(told.content).toMatchObject({
        rounds: 2,
        quorum: { needed: 2, met: true, answered: 2 },
        responses: [
          { model: 'kimi-k3', stance: 'for', status: 'success', before: { position: 'agree' } },
          { model: 'glm-5.3', stance: 'against', status: 'success', changed: true },
        ],
      });
      expect((await turnsOf(client, told.id)).map(([role]) => role)).toEqual(['user', 'assistant']);
    },
  },
  {
    of: 'consensus:quorum',
    says: 'consensus without its quorum is incomplete, and gives what there is',
    async run(client) {
      const told = await client.call('consensus', {
        prompt: `Say exactly: ${YES}`,
        models: ['kimi-k3', 'z-ai/glm-99'],
        quorum: 2,
      });
      expect(told.envelope.status).toBe('consensus_incomplete');
      expect(told.content).toMatchObject({
        quorum: { needed: 2, met: false, answered: 1 },
        responses: [
          { model: 'kimi-k3', status: 'success' },
          { model: 'z-ai/glm-99', status: 'error', error_class: 'not_found' },
        ],
      });
    },
  },
  {
    of: 'consensus:parallel',
    says: 'consensus asks nobody beside a name that means nothing',
    async run(client) {
      const { envelope } = await client.call('consensus', {
        prompt: `Say exactly: ${YES}`,
        models: ['kimi-k3', 'kimi-k33'],
      });
      expect(envelope).toMatchObject({ status: 'error', error_class: 'not_found', attempt: 0 });
    },
  },
  {
    of: 'threads:tool',
    says: 'threads lists, shows, finds, forks, renames and deletes',
    async run(client) {
      // A word that no other conversation has.
      const { req_id: word } = (await client.call('version', {})).envelope;
      const { id } = await client.call('chat', { prompt: `Say exactly: ${word}` });
      const threads = (action: string, more: object = {}) =>
        client.call('threads', { action, ...more });
      expect((await threads('list', { limit: 100 })).content['threads']).toContainEqual(
        expect.objectContaining({ id, turns: 2 }),
      );
      expect((await threads('search', { query: word })).content['matches']).toEqual([
        expect.objectContaining({ id, turn: 2 }),
        expect.objectContaining({ id, turn: 1 }),
      ]);
      const fork = (await threads('fork', { id, turn: 1 })).content['thread'] as { id: string };
      expect(fork).toMatchObject({ turns: 1, parent_id: id });
      expect((await threads('rename', { id, title: 'Zebras' })).content).toMatchObject({
        thread: { title: 'Zebras' },
      });
      expect((await threads('delete', { id })).content).toEqual({ deleted: id });
      expect((await threads('show', { id })).envelope.error_class).toBe('not_found');
      expect(await turnsOf(client, fork.id)).toEqual([['user', `Say exactly: ${word}`]]);
    },
  },
];
