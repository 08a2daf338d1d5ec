import { CallError } from '#core/errors/call-error.ts';
import type { LoopTool, LoopToolResult } from '#core/llm/tool-loop.ts';
import type { Clock } from '#core/time/clock.ts';
import type { LoopWatch } from './loop-watch.ts';
import type { SeededRandom } from './random.ts';

export interface LoopTools {
  readonly list: readonly LoopTool[];
  readonly names: readonly string[];
}

interface LoopToolsWorld {
  readonly clock: Clock;
  readonly watch: LoopWatch;
  readonly limits: { readonly toolTimeoutMs: number };
}

type Manner = 'well' | 'fails' | 'throws' | 'slow' | 'deaf' | 'long' | 'pictures' | 'polled';

const MANNERS: readonly Manner[] = [
  'well',
  'well',
  'fails',
  'throws',
  'slow',
  'deaf',
  'long',
  'pictures',
  'polled',
];

/** Tools that answer, fail, hang or answer too much. One in ten is a function of the caller. */
export function createLoopTools(random: SeededRandom, world: LoopToolsWorld): LoopTools {
  const list = Array.from({ length: random.between(1, 5) }, (_, at) => simTool(`tool_${at}`));
  return { list, names: list.map(({ name }) => name) };

  function simTool(name: string): LoopTool {
    const manner = random.pick(MANNERS);
    const effect = random.chance(0.5) ? 'writes' : 'reads';
    const about = { name, description: name, parameters: { type: 'object' }, effect } as const;
    if (random.chance(0.1)) return { ...about, effect: 'reads' };
    return {
      ...about,
      async run(_args, context) {
        const ended = world.watch.runs({ tool: name, effect, ...context });
        try {
          return await answer(manner, context.signal);
        } finally {
          ended();
        }
      },
    };
  }

  async function answer(
    manner: Manner,
    signal: {
      readonly aborted: boolean;
      addEventListener(type: 'abort', listener: () => void): void;
    },
  ): Promise<LoopToolResult> {
    const { clock, limits } = world;
    const takesMs = manner === 'slow' || manner === 'deaf' ? 3 * limits.toolTimeoutMs : 0;
    const usualMs = random.pick([0, 100, 1_500]);
    await new Promise<void>((resolve, reject) => {
      clock.after(takesMs + usualMs, resolve);
      if (manner === 'deaf') return;
      signal.addEventListener('abort', () => reject(new CallError('cancelled', 'Stopped.')));
    });
    const costMicroUsd = random.pick([0, 0, 3_000]);
    switch (manner) {
      case 'fails':
        return { text: 'half', failure: new CallError('network', 'It is down.'), costMicroUsd };
      case 'throws':
        throw new Error('It broke.');
      case 'long':
        return { text: 'word '.repeat(2_000), costMicroUsd };
      case 'pictures': {
        const source = { base64: 'aGk=', mediaType: 'image/png' };
        return { text: '', pictures: [{ type: 'image', source }], costMicroUsd };
      }
      case 'polled':
        return { text: `value ${random.between(0, 1_000_000)}`, costMicroUsd };
      case 'well':
      case 'slow':
      case 'deaf':
        return { text: 'value', costMicroUsd };
    }
  }
}
