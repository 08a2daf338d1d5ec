import { createPrefixCache } from '../openai/prefix-cache.ts';
import type { Ask, Reply, Vendor } from '../vendor.ts';
import { createTasks } from './async-chat.ts';
import { authenticate } from './auth.ts';
import { refuse, type ErrorStyle, type GlmError } from './errors.ts';
import { createGlmFaults, GLM_FAULT_OPTIONS } from './faults.ts';
import { createFiles } from './files.ts';
import { CACHED_TOKENS } from './prepare-chat.ts';
import { createRoutes, type GlmState } from './routes.ts';
import { createGlmSwitches, type GlmSwitches } from './switches.ts';

/** Both ways in to the same thing; the second is charged to a plan. */
const BASES = [
  ['/coding/paas/v4', 'coding'],
  ['/paas/v4', 'standard'],
] as const;

/** An id begins with the time; what was measured has no blanks or dashes in it. */
const MAX_NUMBER = 1_000_000;

/**
 * ZhipuAI and Z.ai. Keys are `<id>.<secret>`; ids that begin with `wrong`, `other`, `expired`,
 * `inactive`, `locked`, `poor` or, on the coding path, `unplanned` are refused as those words say;
 * `planned` has a plan and no balance.
 */
export function createGlm(): Vendor<GlmSwitches> {
  const toggles = createGlmSwitches();
  const { switches } = toggles;
  const files = createFiles(switches);
  const tasks = createTasks();
  const cache = createPrefixCache(CACHED_TOKENS);
  const running = new Map<string, Set<object>>();
  const requestIds = new Set<string>();
  let made = 0;

  function newId(ask: Ask): string {
    made += 1;
    const time = new Date(ask.now()).toISOString().replaceAll(/\D/g, '').slice(0, 14);
    return `${time}${(made % MAX_NUMBER).toString(16).padStart(6, '0')}`;
  }

  const state: GlmState = { switches, files, tasks, cache, running, requestIds, newId, styleOf };
  const routes = createRoutes(state);

  function styleOf(ask: Ask): ErrorStyle {
    const requestedValue = ask.headers['accept-language'] ?? '';
    const language = /^zh\b/i.test(requestedValue)
      ? 'zh'
      : /^en\b/i.test(requestedValue)
        ? 'en'
        : switches.language;
    return { language, shape: switches.errorShape, text1302: switches.text1302 };
  }

  async function handle(ask: Ask, reply: Reply): Promise<void> {
    const say = (error: GlmError): Promise<void> => refuse(reply, error, styleOf(ask));
    const base = BASES.find(([start]) => ask.path.startsWith(`${start}/`));
    if (base === undefined) return say({ code: '404', about: ask.path });
    const who = authenticate(ask.headers['authorization'], base[1], ask.now());
    if ('error' in who) return say(who.error);
    const error = await routes(ask, reply, ask.path.slice(base[0].length), who.keyId);
    if (error !== undefined) return say(error);
  }

  return {
    name: 'glm',
    prefix: '/glm/api',
    switches,
    reset() {
      toggles.reset();
      files.clear();
      tasks.clear();
      cache.clear();
      running.clear();
      requestIds.clear();
      made = 0;
    },
    handle,
    faults: createGlmFaults(styleOf),
    faultOptions: GLM_FAULT_OPTIONS,
  };
}
