import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { openClient, type Called, type ToolClient } from '../cases/tools-client.ts';
import { statusOf, step, turnsOf } from '../cases/tools-case.ts';
import { prepareFolders } from '../cases/tools-expert-files.ts';
import { openToolsHarness, type ToolsHarness } from '../cases/tools-harness.ts';
import { verifies } from '../verifies.ts';

const MB = 1_000_000;

let harness: ToolsHarness;
let owner: ToolClient;
let other: ToolClient;
beforeAll(async () => {
  // What is asked for whole comes whole: pages have tests of their own.
  harness = await openToolsHarness({ env: { MAX_MCP_OUTPUT_TOKENS: '10000000' } });
  prepareFolders(harness);
  owner = await openClient(harness, 'ws modern');
  other = await openClient(harness, 'http modern', await harness.addClient('other'));
});
afterAll(async () => {
  await Promise.all([owner.close(), other.close()]);
  await harness.close();
});

function refusal({ envelope }: Called): [string | undefined, string] {
  return [envelope.error_class, envelope.detail ?? ''];
}

/** Every tool that goes on with a conversation. */
const GOING_ON: readonly (readonly [string, object])[] = [
  ['chat', { prompt: 'Go on' }],
  ['consensus', { prompt: 'Go on' }],
  ['debug', step(2)],
  ['docgen', step(2)],
  ['planner', { step: 'Go on', step_number: 2, total_steps: 3, next_step_required: true }],
];

describe('a conversation', () => {
  verifies(
    'threads:unknown',
    'that is gone is told with what may have happened to it and what to do, by every tool',
    async () => {
      const { id } = await owner.call('chat', { prompt: 'Say exactly: Gone soon' });
      await owner.call('threads', { action: 'delete', id });
      for (const [tool, args] of GOING_ON) {
        const told = await owner.call(tool, { ...args, continuation_id: id });
        const [errorClass, words] = refusal(told);
        expect([tool, errorClass]).toEqual([tool, 'not_found']);
        expect(words).toMatch(/By its id it was begun on \d{4}-\d\d-\d\d/);
        expect(words).toContain('deleted');
        expect(words).toContain('threads {"action": "list"}');
      }
    },
  );

  verifies('threads:unknown', 'whose id is none is refused by its field', async () => {
    for (const id of ['x', '__proto__', 'conv_', '../conv', 'conv_'.repeat(40)]) {
      for (const [tool, args] of GOING_ON) {
        const [errorClass, words] = refusal(
          await owner.call(tool, { ...args, continuation_id: id }),
        );
        expect([tool, id, errorClass]).toEqual([tool, id, 'validation']);
        expect(words).toContain('continuation_id');
      }
    }
  });

  verifies(
    'threads:owned',
    'of another client is as unknown as one that was deleted, for every tool and in the same words',
    async () => {
      const mine = await owner.call('chat', { prompt: 'Say exactly: The secret plan' });
      const gone = await owner.call('chat', { prompt: 'Say exactly: The secret plan' });
      await owner.call('threads', { action: 'delete', id: gone.id });
      for (const [tool, args] of GOING_ON) {
        const told = await other.call(tool, { ...args, continuation_id: mine.id });
        const never = await other.call(tool, { ...args, continuation_id: gone.id });
        expect(told.envelope.error_class).toBe('not_found');
        expect(told.envelope.detail?.replace(mine.id, 'ID')).toBe(
          never.envelope.detail?.replace(gone.id, 'ID'),
        );
        expect(JSON.stringify(told)).not.toContain('secret');
      }
      for (const action of ['show', 'fork', 'delete', 'rename']) {
        const told = await other.call('threads', { action, id: mine.id, title: 'Mine now' });
        expect([action, told.envelope.error_class]).toEqual([action, 'not_found']);
      }
      const list = await other.call('threads', { action: 'list' });
      const found = await other.call('threads', { action: 'search', query: 'secret' });
      expect([list.content, found.content]).toEqual([{ threads: [] }, { matches: [] }]);
      expect(await turnsOf(owner, mine.id)).toHaveLength(2);
    },
  );
});

verifies(
  'workflow:steps',
  'a step without its beginning, out of order, again or after the end says what is next, and nothing is kept of it',
  async () => {
    const none = await owner.call('debug', step(5));
    expect(refusal(none)).toEqual(['validation', expect.stringContaining('step_number 1')]);
    const chat = await owner.call('chat', { prompt: 'Say exactly: Hello' });
    const elsewhere = await owner.call('debug', step(5, { continuation_id: chat.id }));
    expect(refusal(elsewhere)).toEqual(['validation', expect.stringContaining('step_number 1')]);

    const { id } = await owner.call('debug', step(1, { total_steps: 4 }));
    const on = { continuation_id: id, total_steps: 4 };
    await owner.call('debug', step(2, on));
    const refusals: [object, string][] = [
      [step(4, on), 'Give step_number 3'],
      [step(2, on), 'backtrack_from_step 2'],
      [step(3, { ...on, backtrack_from_step: 2 }), 'step_number 2'],
      [step(9, { ...on, backtrack_from_step: 9 }), 'from 1 to 2'],
      [step(0, on), 'step_number'],
      [step(3, { ...on, confidence: 'sure' }), 'confidence'],
      [step(3, { ...on, step_numbr: 3 }), 'step_number'],
    ];
    for (const [args, words] of refusals) {
      expect(refusal(await owner.call('debug', args))).toEqual([
        'validation',
        expect.stringContaining(words),
      ]);
    }
    const inOther = await owner.call('analyze', step(3, on));
    expect(refusal(inOther)).toEqual(['validation', expect.stringContaining('no step 1')]);
    expect(await turnsOf(owner, id)).toHaveLength(4);
    const end = step(3, { ...on, next_step_required: false, use_assistant_model: false });
    expect(statusOf(await owner.call('debug', end))).toBe('investigation_complete');
    expect(refusal(await owner.call('debug', step(4, on)))).toEqual([
      'validation',
      expect.stringContaining('ended with step 3'),
    ]);
  },
);

verifies(
  'threads:at-once',
  'of two calls that take the same step one is kept and the other is told so',
  async () => {
    const { id } = await owner.call('debug', step(1, { total_steps: 9 }));
    const clients = await Promise.all([
      openClient(harness, 'http legacy'),
      openClient(harness, 'exai'),
    ]);
    for (let number = 2; number < 9; number += 1) {
      const both = await Promise.all(
        clients.map((client, index) =>
          client.call(
            'debug',
            step(number, { continuation_id: id, total_steps: 9, findings: `By ${index}` }),
          ),
        ),
      );
      const outcomes = both.map(({ envelope }) => envelope.error_class ?? envelope.status);
      expect(outcomes).toContain('pause_for_investigation');
      expect(outcomes.some((each) => ['conflict', 'validation'].includes(each))).toBe(true);
    }
    expect(await turnsOf(owner, id)).toHaveLength(16);
    await Promise.all(clients.map((client) => client.close()));
  },
);

verifies(
  'chat:continues',
  'a prompt of 2 MB is answered and kept whole; a workflow takes one such step and refuses what it cannot keep',
  async () => {
    const prompt = `${'long '.repeat((2 * MB) / 5)}Say exactly: Read`;
    const told = await owner.call('chat', { prompt });
    expect(told.envelope).toMatchObject({ status: 'success', content: 'Read' });
    const first = await owner.call('debug', step(1, { findings: prompt }));
    expect(statusOf(first)).toBe('pause_for_investigation');
    for (const { id } of [told, first]) {
      const shown = await owner.call('threads', { action: 'show', id, max_chars: 3 * MB });
      const [turn] = shown.content['turns'] as readonly { readonly text: string }[];
      expect(turn?.text.includes(prompt)).toBe(true);
    }
    const on = { continuation_id: first.id };
    expect(refusal(await owner.call('debug', step(2, { ...on, findings: prompt })))).toEqual([
      'too_large',
      expect.stringContaining('Say less in this step'),
    ]);
    expect(statusOf(await owner.call('debug', step(2, on)))).toBe('pause_for_investigation');
  },
);

verifies(
  'files:roots',
  'a file outside the roots is refused by its name, and nothing of it is told or sent',
  async () => {
    const secret = join(harness.outside, 'secret.txt');
    const link = join(harness.project, 'link.txt');
    writeFileSync(secret, 'The word is swordfish');
    symlinkSync(secret, link);
    const asked = harness.emulator.requests().length;
    for (const path of [secret, `${harness.project}/../outside/secret.txt`, link, '/etc/passwd']) {
      const told = await owner.call('chat', { prompt: 'What is the word?', files: [path] });
      expect(refusal(told)).toEqual(['permission', expect.stringContaining(path)]);
      const three = await owner.call('consensus', { prompt: 'The word?', relevant_files: [path] });
      expect(three.envelope.error_class).toBe('permission');
    }
    // A client with a token of its own has no roots but what the settings allow.
    const foreign = await other.call('chat', {
      prompt: 'What is kept?',
      files: [join(harness.project, 'kept.ts')],
    });
    expect(foreign.envelope.error_class).toBe('permission');
    expect(harness.emulator.requests()).toHaveLength(asked);

    // The work of a workflow is not lost for a file that cannot be read.
    const judged = await owner.call(
      'debug',
      step(1, { next_step_required: false, relevant_files: [secret, link] }),
    );
    expect(statusOf(judged)).toBe('calling_expert_analysis');
    expect(JSON.stringify(judged.content['notices'])).toContain('secret.txt');
    expect(JSON.stringify(harness.emulator.requests())).not.toContain('swordfish');
  },
);

verifies(
  'workflow:precommit',
  'what is no repository, no commit or outside the roots is told by its field, with what to do',
  async () => {
    const asked = (args: object) => owner.call('precommit', step(1, args));
    const plain = await asked({ path: harness.plain });
    expect(refusal(plain)).toEqual(['validation', expect.stringContaining('repository')]);
    for (const compare_to of ['--output=x', 'no-such-branch', 'HEAD; id']) {
      const told = await asked({ path: harness.project, compare_to });
      expect(refusal(told)).toEqual(['validation', expect.stringContaining(compare_to)]);
    }
    const outside = await asked({ path: harness.outside });
    expect(refusal(outside)).toEqual(['permission', expect.stringContaining(harness.outside)]);
  },
);

verifies('workflow:precommit', 'a machine without git is told so, with what to do', async () => {
  const bare = await openToolsHarness({ env: { PATH: '/nowhere' } });
  try {
    prepareFolders(bare);
    const client = await openClient(bare, 'socket legacy');
    const told = await client.call('precommit', step(1, { path: bare.project }));
    expect(refusal(told)).toEqual(['not_configured', expect.stringMatching(/git/)]);
    const { content } = await client.call('threads', { action: 'list' });
    expect(content).toEqual({ threads: [] });
    await client.close();
  } finally {
    await bare.close();
  }
});
