import type { Caller } from '#core/calls/call.ts';
import type { Prompt } from '#core/tools/prompt.ts';
import type { Profile, ToolContext } from '#core/tools/tool.ts';
import { createFakeClock, type FakeClock } from '../../../test/fake-clock.ts';
import { listedTools } from '../../../test/listed-tools.ts';
import { createTestDirectory } from '../reporting/model-directory.fixture.ts';
import { toolPrompts, type PromptDeps } from './tool-prompts.ts';

export const ANN: Caller = { principal: 'ann', scopes: ['*'], roots: [] };

/** Prompts use only the caller. */
export function contextOf(caller: Caller): ToolContext {
  return {
    caller,
    metadata: { timestamp_utc: '2026-01-31T12:00:00.000Z' },
  } as unknown as ToolContext;
}

export const NO_THREADS: PromptDeps['threads'] = {
  list: async () => [],
  show: () => Promise.reject(new Error('there is none')),
};

export interface Shown {
  readonly prompts: readonly Prompt[];
  readonly clock: FakeClock;
  readonly find: (name: string) => Prompt;
  /** The text of a prompt. */
  readonly get: (name: string, args?: Readonly<Record<string, string>>) => Promise<string>;
  readonly complete: (name: string, argument: string, value: string) => Promise<readonly string[]>;
}

export function showPrompts(
  threads: PromptDeps['threads'] = NO_THREADS,
  profile: Profile = 'full',
  caller: Caller = ANN,
): Shown {
  const clock = createFakeClock();
  const listed = listedTools(profile);
  const prompts = toolPrompts({ listed, modelDirectory: createTestDirectory(), threads, clock });
  const find = (name: string): Prompt => {
    const prompt = prompts.find((each) => each.name === name);
    if (!prompt) throw new Error(`there is no prompt ${name}`);
    return prompt;
  };
  return {
    prompts,
    clock,
    find,
    async get(name, args = {}) {
      const answer = await find(name).get(args, contextOf(caller));
      if ('inputRequests' in answer) throw new Error('it asks');
      const [message, ...others] = answer.messages;
      if (others.length > 0 || message?.content.type !== 'text') throw new Error('not one text');
      return message.content.text;
    },
    async complete(name, argument, value) {
      const found = find(name).arguments.find((each) => each.name === argument);
      return (await found?.complete?.(value, {}, caller)) ?? [];
    },
  };
}

/** The arguments in a message: one line of JSON. */
export function argsIn(message: string): Record<string, unknown> {
  const [, line = '{}'] = /with these arguments:\n(.+)$/m.exec(message) ?? [];
  return JSON.parse(line) as Record<string, unknown>;
}
