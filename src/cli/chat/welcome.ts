import type { Environment } from '#config/environment.ts';
import { loadConfig } from '#config/load/load.ts';
import { CONFIGURED_PROVIDERS } from '#core/providers/list.ts';
import { hasUsableModel } from './choose-model.ts';
import type { ChatConnect } from './connect.ts';
import type { ChatState } from './state.ts';

const WELCOME = 'EX-AI chat. /help has the commands; Ctrl-C cancels an answer, Ctrl-D leaves.';
const NO_MODEL =
  'No model can answer yet. Add a key: exai keys add glm (exai keys list has the others).';

/** The first lines of a chat: its commands, its model and its conversation. */
export function formatWelcome({ model, thread }: Pick<ChatState, 'model' | 'thread'>): string {
  const answering = model ?? thread?.model ?? 'auto';
  const conversation = thread === undefined ? 'new conversation' : thread.id;
  return `${WELCOME}\nModel: ${answering}; ${conversation}.`;
}

/**
 * What to do first where no model can answer. The daemon is asked only if the settings here name no
 * provider: it may have other settings, or have found a server of the user.
 */
export async function findSetupHint(
  env: Environment,
  connect: ChatConnect,
): Promise<string | undefined> {
  if (namesProvider(env)) return undefined;
  try {
    return (await hasUsableModel(connect)) ? undefined : NO_MODEL;
  } catch {
    // Why the daemon cannot be reached is said when it is needed.
    return NO_MODEL;
  }
}

function namesProvider(env: Environment): boolean {
  try {
    const { providers } = loadConfig({ env }).config;
    return CONFIGURED_PROVIDERS.some(({ id, needs }) =>
      needs === 'key' ? providers[id].apiKey !== '' : providers[id].baseUrl !== '',
    );
  } catch {
    // Settings with an error: the daemon reports it.
    return true;
  }
}
