import type { SentenceTable } from './coded-message.ts';
import type { ErrorText } from './error-text.ts';
import type { Reason } from './reasons.ts';
import { asSentence } from './sentence.ts';

type None = Readonly<Record<string, never>>;

/** Notices about a tool call. */
export interface ToolNoticeParams {
  /** Without `argument`, no argument can raise the limit. */
  answer_cut: { readonly argument?: string };
  panel_answer_cut: { readonly model: string };
  panel_answer_shortened: {
    readonly model: string;
    readonly verdictChars: number;
    readonly points: number;
  };
  second_round_skipped: { readonly reason: 'one_answer' | 'no_time' };
  /** Why a model with tools ended before it had answered by itself. */
  tool_loop_ended: { readonly reason: Reason };
  /** Of a server or pattern in `tools`; `writing` of them change something. */
  tools_left_out: {
    readonly entry: string;
    readonly offered: number;
    readonly total: number;
    readonly writing: number;
  };
  conversation_not_kept: { readonly error: ErrorText };
  no_source: None;
  /** Citations of files; `total` of them are in the answer. */
  citations_not_verified: { readonly count: number; readonly total: number };
  no_file_cited: None;
  /** Files that the answer neither cites nor names. */
  files_not_mentioned: { readonly files: readonly string[]; readonly more: number };
  /** `fix` says how to configure a provider with web search. */
  not_looked_up: {
    readonly model: string;
    readonly searchProviders: 'some' | 'none';
    readonly fix?: string;
  };
  expert_answer_cut: None;
  expert_answer_not_kept: { readonly error: ErrorText };
  expert_wants_secrets: { readonly files: readonly string[]; readonly more: number };
  images_not_seen: None;
  not_read_again: { readonly error: ErrorText };
  /**
   * An argument that says what the steps are about; values are JSON, absent where it was left out.
   */
  subject_changed: { readonly argument: string; readonly first?: string; readonly value?: string };
  subject_elsewhere: { readonly argument: string; readonly first: string; readonly value: string };
  /** An assistant's tool call as one client wants it has one object. */
  tool_arguments_repeated: { readonly tool: string };
}

export const TOOL_NOTICE_SENTENCES: SentenceTable<ToolNoticeParams> = {
  answer_cut: ({ argument }, render) =>
    `The answer ends where its limit of tokens was reached: ${argument === undefined ? '' : `raise ${render.argument(argument)}, or `}ask for the rest.`,
  panel_answer_cut: ({ model }) => `The answer of ${model} was cut at its limit of tokens.`,
  panel_answer_shortened: ({ model, verdictChars, points }) => {
    const missing = [
      ...(verdictChars > 0 ? [`the last ${verdictChars} characters of its verdict`] : []),
      ...(points > 0 ? [`${points} of its reasons and risks, in whole or in part`] : []),
    ];
    return `The answer of ${model} was too long to be shown whole in the second round: the others did not see ${missing.join(', nor ')}.`;
  },
  second_round_skipped: ({ reason }) =>
    `There was no second round: ${reason === 'one_answer' ? 'only one model answered' : 'no time was left'}.`,
  tool_loop_ended: ({ reason }, render) => asSentence(render.reason(reason)),
  tools_left_out: ({ entry, offered, total, writing }) => {
    const why = writing > 0 ? `; ${writing} of them change something` : '';
    return `${entry} has ${total} tools${why}: ${offered} were offered to the model.`;
  },
  conversation_not_kept: ({ error }, render) =>
    `The conversation could not be kept: ${render.message(error)}`,
  no_source: () => 'No source came with this answer: check what it says before you rely on it.',
  citations_not_verified: ({ count, total }) =>
    `${count} of ${total} ${total === 1 ? 'citation' : 'citations'} could not be verified; each is marked in the text. Check the files before you rely on them.`,
  no_file_cited: () =>
    'The answer cites no file: check what it says before you rely on it, or ask for citations.',
  files_not_mentioned: ({ files, more }) =>
    `The answer does not mention ${files.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`,
  not_looked_up: ({ model, searchProviders, fix }) => {
    const why =
      searchProviders === 'some'
        ? ''
        : ` No provider that searches is set up${fix === undefined ? '' : `: ${fix}`}.`;
    return `Not looked up: ${model} cannot search the web, so this is what it knew, and may be out of date.${why}`;
  },
  expert_answer_cut: () => 'The expert’s answer ends where its limit of tokens was reached.',
  expert_answer_not_kept: ({ error }, render) =>
    `The expert’s answer could not be kept: ${render.message(error)}`,
  expert_wants_secrets: ({ files, more }) =>
    `The expert also asked for files that may hold secrets, which are left out here: ${files.join(', ')}${more > 0 ? ` and ${more} more` : ''}. Give them only if the user wants that.`,
  images_not_seen: () =>
    'No model has seen the images: give them with the last step, for the expert.',
  not_read_again: ({ error }, render) =>
    `Something could not be read again: ${render.message(error)}`,
  subject_changed: ({ argument, first = 'left out', value = 'left out' }) =>
    `${argument} is ${value} now, and in step 1 it was ${first}: what is judged is not what the first step looked at.`,
  subject_elsewhere: ({ argument, first, value }, render) =>
    `Nothing was read for the expert: step 1 was about ${first}, and this call comes from ${value}. Give ${render.argument(argument)} to say which is meant.`,
  tool_arguments_repeated: ({ tool }) =>
    `The model wrote more than one object as the arguments of ${tool}; the first counts.`,
};
