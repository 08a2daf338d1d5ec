import { CallError } from '#core/errors/call-error.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { formatColumns } from '../format/layout.ts';
import { formatModelRows, type ShownModel } from '../format/model-rows.ts';
import type { Io } from '../io.ts';
import { callTool, type ChatConnect } from './connect.ts';
import type { ChatState } from './state.ts';

const TOOL = 'listmodels';

interface ListedModels {
  readonly models: readonly ShownModel[];
  readonly hint?: string;
}

/** The table of usable models, or the reason why there are none. */
export async function formatUsableModels(
  connect: ChatConnect,
  io: Pick<Io, 'paint' | 'width'>,
): Promise<string> {
  const { content } = await connect((client) => callTool(client, TOOL, {}));
  const { models, hint } = content as ListedModels;
  if (hint !== undefined) return escapeControls(`None can be used: ${hint}`);
  const usable = models.filter((model) => model.usable);
  return formatColumns(formatModelRows(usable, io), '', io.width).trimEnd();
}

/** Whether the daemon has a model that can answer; the extractive fallback is none. */
export async function hasUsableModel(connect: ChatConnect): Promise<boolean> {
  const { content } = await connect((client) => callTool(client, TOOL, {}));
  return (content as ListedModels).hint === undefined;
}

/** Chooses the model for further answers. An unknown name changes nothing. */
export async function chooseChatModel(
  name: string,
  state: Pick<ChatState, 'model' | 'thread'>,
  connect: ChatConnect,
): Promise<{ readonly text: string; readonly model: string | undefined }> {
  if (name === '') return { text: describeModelChoice(state), model: state.model };
  if (name.toLowerCase() === 'auto') {
    const auto = { ...state, model: undefined };
    return { text: describeModelChoice(auto), model: undefined };
  }
  const { content } = await connect((client) => callTool(client, TOOL, { model: name }));
  const [found] = (content as ListedModels).models;
  if (found?.usable !== true) {
    const why = found?.because === undefined ? '' : `: ${found.because}`;
    throw new CallError('not_configured', `${found?.id ?? name} cannot be used now${why}`, {
      fix: '/models lists those that can.',
    });
  }
  return {
    text: escapeControls(`${found.id} (${found.provider}) answers from now on.`),
    model: found.id,
  };
}

function describeModelChoice({ model, thread }: Pick<ChatState, 'model' | 'thread'>): string {
  if (model !== undefined)
    return escapeControls(`${model} answers; /model auto lets EX-AI choose.`);
  const stays =
    thread?.model === undefined
      ? ''
      : ` This conversation stays with ${thread.model} while it can; /new begins another.`;
  return escapeControls(`The model that suits answers.${stays}`);
}
