import { isId } from '#core/ids.ts';
import type { Complete, Prompt } from '#core/prompt.ts';
import type { Tool } from '#core/tool.ts';
import type { ModelDesk } from '#models/desk.ts';
import { ICON } from '../icon.ts';
import { callWords } from './call-words.ts';
import { choicesOf, completeChoices } from './complete-choices.ts';
import { completeModelList, completeModels } from './complete-models.ts';
import { completeThreads } from './complete-threads.ts';
import { parts, readGiven, type Fit } from './given.ts';
import type { RecentThreads } from './recent-threads.ts';
import type { PromptRow, RowArgument } from './row.ts';

export interface ToolPromptDeps {
  readonly recent: RecentThreads;
  readonly desk: Pick<ModelDesk, 'models' | 'resolve'>;
}

/** As many as consensus asks. */
const MAX_MODELS = 8;

/** A tool as something that a person starts by its name. Nothing is required: without a text the conversation says what is meant. */
export function toolPrompt(row: PromptRow, tool: Tool, deps: ToolPromptDeps): Prompt {
  const { text, more, title, description } = row;
  const fits = (argument: RowArgument, value: string) => fitOf(argument, value, tool, deps);
  return {
    name: row.tool,
    title,
    description,
    icons: [ICON],
    uses: row.tool,
    arguments: [
      text,
      ...more.map((argument) => {
        const complete = completionOf(argument, tool, deps);
        const { name, description: words } = argument;
        return { name, description: words, ...(complete && { complete }) };
      }),
    ],
    get: (args) => ({
      description,
      messages: [
        {
          role: 'user',
          content: { type: 'text', text: callWords(row, readGiven(row, args, fits)) },
        },
      ],
    }),
  };
}

function completionOf(
  { name, kind, to = name }: RowArgument,
  tool: Tool,
  deps: ToolPromptDeps,
): Complete | undefined {
  switch (kind) {
    case 'model':
      return completeModels(deps.desk);
    case 'models':
      return completeModelList(deps.desk);
    case 'thread':
      return completeThreads(deps.recent);
    case 'choice':
      return completeChoices(choicesOf(tool, to));
    case 'paths':
    case 'words':
      return undefined;
  }
}

function fitOf(
  { name, kind, to = name }: RowArgument,
  value: string,
  tool: Tool,
  { desk }: ToolPromptDeps,
): Fit {
  const isModel = (model: string) =>
    model.toLowerCase() === 'auto' || desk.resolve(model).is === 'found';
  switch (kind) {
    case 'model':
      return yesOrNo(isModel(value));
    case 'models':
      return yesOrNo(parts(value).slice(0, MAX_MODELS).some(isModel));
    case 'thread':
      // What is nearly an id is a slip, and the tool explains it.
      return yesOrNo(isId(value, 'conv') || value.startsWith('conv'));
    case 'choice':
      return yesOrNo(choicesOf(tool, to).includes(value.toLowerCase()));
    case 'paths':
      return /[./\\]/.test(value) ? 'yes' : 'unknown';
    case 'words':
      return 'unknown';
  }
}

function yesOrNo(isFit: boolean): Fit {
  return isFit ? 'yes' : 'no';
}
