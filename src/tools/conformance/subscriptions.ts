import type { Tool } from '#core/tool.ts';
import { fixture, NO_INPUT } from './fixture.ts';
import type { ConformanceWorld } from './kit.ts';

/** Tools that change a list, so that those who listen are told. */
export function subscriptionTools({
  toolsChanged,
  promptsChanged,
}: Pick<ConformanceWorld, 'toolsChanged' | 'promptsChanged'>): readonly Tool[] {
  return [
    trigger('test_trigger_tool_change', 'tools', toolsChanged),
    trigger('test_trigger_prompt_change', 'prompts', promptsChanged),
  ];
}

function trigger(name: string, list: string, change: () => void): Tool {
  return fixture({
    name,
    description: `Has the list of ${list} change.`,
    input: NO_INPUT,
    effect: 'changes',
    async run() {
      change();
      return { text: `The list of ${list} has changed.` };
    },
  });
}
