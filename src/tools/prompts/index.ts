import type { Clock } from '#core/clock.ts';
import type { Prompt } from '#core/prompt.ts';
import type { Threads } from '#core/threads.ts';
import type { Tool } from '#core/tool.ts';
import type { ModelDesk } from '#models/desk.ts';
import { continuePrompt } from './continue.ts';
import { createRecentThreads } from './recent-threads.ts';
import { PROMPT_ROWS } from './rows.ts';
import { threadsPrompt } from './threads.ts';
import { toolPrompt } from './tool-prompt.ts';

export interface PromptDeps {
  /** What `tools/list` has: a client's model calls no other tool, so no other is a slash command. */
  readonly listed: readonly Tool[];
  readonly desk: Pick<ModelDesk, 'models' | 'resolve'>;
  readonly threads: Pick<Threads, 'list' | 'show'>;
  readonly clock: Pick<Clock, 'after'>;
}

/** Every tool that a person would start by its name, and what goes with conversations. */
export function toolPrompts({ listed, desk, threads, clock }: PromptDeps): readonly Prompt[] {
  const recent = createRecentThreads({ threads, clock });
  const find = (name: string) => listed.find((tool) => tool.name === name);
  return [
    ...PROMPT_ROWS.flatMap((row) => {
      const tool = find(row.tool);
      return tool ? [toolPrompt(row, tool, { desk, recent })] : [];
    }),
    ...(find('chat') ? [continuePrompt({ threads, recent, listed })] : []),
    ...(find('threads') ? [threadsPrompt] : []),
  ];
}
