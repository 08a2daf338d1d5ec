import { CallError } from '#core/call-error.ts';
import { callTool, type Connect } from './chat-connect.ts';
import type { ChatState } from './chat-state.ts';
import { columns } from './columns.ts';
import type { Io } from './io.ts';
import { modelRows, type ShownModel } from './model-rows.ts';
import { harmless } from './terminal-text.ts';

const TOOL = 'listmodels';

interface Found {
  readonly models: readonly ShownModel[];
  readonly hint?: string;
}

/** Those that can be used; where there are none, why. */
export async function listModels(
  connect: Connect,
  io: Pick<Io, 'paint' | 'width'>,
): Promise<string> {
  const { content } = await connect((client) => callTool(client, TOOL, {}));
  const { models, hint } = content as Found;
  if (hint !== undefined) return harmless(`None can be used: ${hint}`);
  const usable = models.filter((model) => model.usable);
  return columns(modelRows(usable, io), '', io.width).trimEnd();
}

/** Who answers from now on; a name that means no model changes nothing. */
export async function chooseModel(
  given: string,
  state: Pick<ChatState, 'model' | 'thread'>,
  connect: Connect,
): Promise<{ readonly words: string; readonly model: string | undefined }> {
  if (given === '') return { words: standingWords(state), model: state.model };
  if (given.toLowerCase() === 'auto') {
    const auto = { ...state, model: undefined };
    return { words: standingWords(auto), model: undefined };
  }
  const { content } = await connect((client) => callTool(client, TOOL, { model: given }));
  const [found] = (content as Found).models;
  if (found?.usable !== true) {
    const why = found?.because === undefined ? '' : `: ${found.because}`;
    throw new CallError('not_configured', `${found?.id ?? given} cannot be used now${why}`, {
      fix: '/models lists those that can.',
    });
  }
  return {
    words: harmless(`${found.id} (${found.provider}) answers from now on.`),
    model: found.id,
  };
}

function standingWords({ model, thread }: Pick<ChatState, 'model' | 'thread'>): string {
  if (model !== undefined) return harmless(`${model} answers; /model auto lets EX-AI choose.`);
  const stays =
    thread?.model === undefined
      ? ''
      : ` This conversation stays with ${thread.model} while it can; /new begins another.`;
  return harmless(`The model that suits answers.${stays}`);
}
