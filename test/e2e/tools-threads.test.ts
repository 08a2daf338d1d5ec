import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { shownTurns, statusOf, step } from '../cases/tools-case.ts';
import { openClient, type ToolTransport } from '../cases/tools-client.ts';
import { prepareFolders, EXPERT_FILES } from '../cases/tools-expert-files.ts';
import { openToolsHarness, type ToolsHarness } from '../cases/tools-harness.ts';
import { verifies } from '../verifies.ts';

let harness: ToolsHarness;
beforeAll(async () => {
  harness = await openToolsHarness();
  prepareFolders(harness);
});
afterAll(() => harness.close());

/** One call by somebody who comes for it and leaves. */
async function callBy(transport: ToolTransport, tool: string, args: object) {
  const client = await openClient(harness, transport);
  try {
    return await client.call(tool, args);
  } finally {
    await client.close();
  }
}

verifies(
  'threads:durable',
  'an investigation goes on after a restart, and into another tool on another model, by other transports',
  async () => {
    const file = join(harness.shared, EXPERT_FILES.verdict);
    const first = await callBy('ws modern', 'debug', step(1, { total_steps: 3 }));
    const { id } = first;
    const on = { continuation_id: id, total_steps: 3 };
    const second = await callBy('exai', 'debug', step(2, { ...on, relevant_files: [file] }));
    expect([first, second].map(statusOf)).toEqual([
      'pause_for_investigation',
      'pause_for_investigation',
    ]);

    await harness.restart();
    const third = await callBy(
      'shim legacy',
      'debug',
      step(3, { ...on, next_step_required: false }),
    );
    expect(statusOf(third)).toBe('calling_expert_analysis');
    expect(third.envelope).toMatchObject({ provider: 'kimi', continuation: { id } });
    expect(third.content).toMatchObject({
      expert_analysis: { format: 'json', summary: 'The cache only grows' },
      complete_debug: { initial_request: 'Look at part 1', steps_taken: 3, relevant_files: [file] },
    });
    const sent = JSON.stringify(harness.emulator.requests({ vendor: 'kimi', last: 1 })[0]?.body);
    for (const number of [1, 2, 3]) expect(sent).toContain(`Found ${number}`);
    // Its own steps are in the findings, and are not said again as a conversation.
    expect(sent.match(/Found 2/g)).toHaveLength(1);

    await harness.restart();
    const chat = await callBy('http modern', 'chat', {
      prompt: 'Say exactly: Cap it at 100 entries',
      continuation_id: id,
      model: 'glm-5.3',
    });
    expect(chat.envelope).toMatchObject({ status: 'success', provider: 'glm', model: 'glm-5.3' });
    const { body } = harness.emulator.requests({ vendor: 'glm', last: 1 })[0] ?? {};
    const { messages } = body as { messages: { role: string; content: string }[] };
    expect(messages.map(({ content }) => content).join('\n')).toContain('The cache only grows');
    expect(messages.at(-1)).toEqual({
      role: 'user',
      content: 'Say exactly: Cap it at 100 entries',
    });
    // Whoever was named last stays.
    const again = await callBy('socket legacy', 'chat', {
      prompt: 'Say exactly: Yes',
      continuation_id: id,
    });
    expect(again.envelope).toMatchObject({ model: 'glm-5.3' });

    const client = await openClient(harness, 'sse legacy');
    const shown = await shownTurns(client, id);
    await client.close();
    expect(shown.map(({ role, tool, provider, model }) => [role, tool, provider, model])).toEqual([
      ['user', 'debug', undefined, undefined],
      ['assistant', 'debug', undefined, undefined],
      ['user', 'debug', undefined, undefined],
      ['assistant', 'debug', undefined, undefined],
      ['user', 'debug', undefined, undefined],
      ['assistant', 'debug', 'kimi', third.envelope.model],
      ['user', 'chat', undefined, undefined],
      ['assistant', 'chat', 'glm', 'glm-5.3'],
      ['user', 'chat', undefined, undefined],
      ['assistant', 'chat', 'glm', 'glm-5.3'],
    ]);
    const stored = await harness.lookInto(({ conversations }) =>
      conversations.turns(id, 'local', 100),
    );
    const usages = stored.flatMap(({ usage }) => (usage === null ? [] : [usage]));
    expect(usages).toEqual([third, chat, again].map(({ envelope }) => envelope.usage));
  },
);
