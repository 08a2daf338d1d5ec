import { formatQuantity, formatMegabytes, formatWhole } from '../text/format.ts';
import type { SentenceTable } from './coded-message.ts';
import type { ErrorText } from './error-text.ts';
import type { Notice } from './notices.ts';

type None = Readonly<Record<string, never>>;

/** Reasons why a file or folder was not read. */
export type LeftOutReason =
  | 'hidden'
  | 'skipped'
  | 'ignored'
  | 'costly'
  | 'links'
  | 'special'
  | 'private'
  | 'secret'
  | 'no_text'
  | 'too_large'
  | 'full'
  | 'too_many'
  | 'too_deep'
  | 'unread'
  | 'nested'
  | 'empty';

export interface FileLimits {
  readonly fileBytes: number;
  readonly totalBytes: number;
  /** Of pictures and videos; absent where none are read. */
  readonly mediaBytes?: number;
  /** Absent where every file counts alike. */
  readonly texts?: number;
  readonly openedFiles: number;
  readonly folderDepth: number;
}

/** Notices about files and repository changes that were not read or not shown. */
export interface FileNoticeParams {
  files_left_out: {
    /** The requested folder; absent for repository changes. */
    readonly folder?: string;
    readonly groups: readonly {
      readonly reason: LeftOutReason;
      readonly count: number;
      /** The first ones. */
      readonly names: readonly string[];
    }[];
    readonly limits: FileLimits;
  };
  /** What a file seems to contain; the secrets themselves are never shown. */
  file_secrets_found: {
    readonly file: string;
    readonly findings: readonly { readonly title: string; readonly line: number }[];
  };
  /** What was noticed while a file was read. */
  about_file: { readonly file: string; readonly about: Notice };
  file_empty: { readonly file: string };
  /** Nothing was searched. */
  index_empty: None;
  /** Passages were found, or indexed, by keywords alone. */
  embeddings_failed: { readonly error: ErrorText; readonly fix?: string };
  /** A picture, or another file without text. */
  file_not_indexed: { readonly file: string; readonly error?: ErrorText };
  /** Files that no context window holds: the question was answered from some of their passages. */
  files_searched: {
    readonly files: number;
    readonly passages: number;
    readonly shown: number;
    readonly shownFiles: number;
  };
  /** Pictures and videos of earlier turns that would have been too much. */
  earlier_media_left_out: { readonly count: number };
  /** Pictures and videos of earlier turns that the named model does not take. */
  earlier_media_not_seen: { readonly count: number; readonly model: string };
  /** `from` and `to` are sizes in pixels: `8000 x 8000`. */
  picture_scaled: {
    /** Its number in the request, from 1. */
    readonly picture: number;
    readonly provider: string;
    readonly from?: string;
    readonly to?: string;
    readonly type: 'PNG' | 'JPEG';
    readonly takes: string;
  };
  folder_cut: { readonly folder?: string; readonly limit: number };
  file_not_read: { readonly path: string; readonly error: ErrorText };
  /** A relative path from an earlier call in another folder. */
  file_path_relative: { readonly path: string };
  earlier_file_lost: { readonly path: string; readonly error: ErrorText };
  earlier_files_left_out: { readonly count: number };
  expert_files_left_out: { readonly count: number; readonly total: number };
  changes_outside_roots: None;
  changes_since_merge_base: { readonly name: string; readonly commit: string };
  /** `changes` is their name: `staged changes`. */
  changed_files_cut: { readonly changes: string; readonly limit: number };
  diff_left_out: { readonly changes: string };
  /** `measured`: whether git was stopped before the end. */
  diff_cut: {
    readonly changes: string;
    readonly bytes: number;
    readonly leftOutBytes: number;
    readonly measured: 'all' | 'at_least';
  };
  diff_not_utf8: { readonly changes: string };
  untracked_files_cut: { readonly limit: number };
  untracked_files_left_out: {
    readonly count: number;
    readonly limitFiles: number;
    readonly limitBytes: number;
  };
  filters_not_run: { readonly count: number; readonly file: string };
  no_changes: None;
  no_changes_requested: None;
}

const REASONS: { readonly [Reason in LeftOutReason]: (limits: FileLimits) => string } = {
  hidden: () => 'hidden',
  skipped: () => 'made by tools',
  ignored: () => 'ignored by .gitignore',
  costly: () => 'under .gitignore rules that take too long to apply',
  links: () => 'links',
  special: () => 'not regular files',
  private: () => 'private files that are never read',
  secret: () => 'that may hold secrets and are read only when named themselves',
  no_text: () => 'not UTF-8 text',
  too_large: ({ fileBytes }) => `over ${formatMegabytes(fileBytes)}`,
  full: ({ totalBytes, mediaBytes }) =>
    mediaBytes === undefined
      ? `beyond ${formatMegabytes(totalBytes)} in all`
      : `beyond ${formatMegabytes(totalBytes)} of texts or ${formatMegabytes(mediaBytes)} of pictures and videos in all`,
  too_many: ({ texts, openedFiles }) =>
    `beyond ${texts === undefined ? '' : `${texts} texts or `}${openedFiles} files`,
  too_deep: ({ folderDepth }) => `more than ${folderDepth} folders down`,
  unread: () => 'that could not be read',
  nested: () => 'nested repositories',
  empty: () => 'empty',
};

export const FILE_NOTICE_SENTENCES: SentenceTable<FileNoticeParams> = {
  files_left_out: ({ folder = 'the changes', groups, limits }) => {
    const parts = groups.map(({ reason, count, names }) => {
      const more = count > names.length ? ', …' : '';
      return `${count} ${REASONS[reason](limits)} (${names.join(', ')}${more})`;
    });
    return `Left out of ${folder}: ${parts.join('; ')}.`;
  },
  file_secrets_found: ({ file, findings }) => {
    const places = findings.map(({ title, line }) => `${title} in line ${line}`).join(', ');
    return `${file} seems to contain secrets: ${places}. They are sent with it. Remove them, or refuse such texts with files.secrets=block.`;
  },
  about_file: ({ file, about }, render) => `${file}: ${render.notice(about)}`,
  file_empty: ({ file }) => `${file} is empty, so it was left out.`,
  index_empty: () => 'No file is indexed yet: exai index add FOLDER, or give `files`.',
  embeddings_failed: ({ error, fix }, render) =>
    `The files are searched by keywords alone: ${render.message(error)}${fix === undefined ? '' : ` ${fix}`}`,
  file_not_indexed: ({ file, error }, render) =>
    error
      ? `${file} cannot be searched: ${render.message(error)}`
      : `${file} has no text, so that it cannot be searched.`,
  files_searched: ({ files, passages, shown, shownFiles }) =>
    `No context window holds these files, so the answer is from ${shown === 1 ? 'the passage that matches' : `the ${formatWhole(shown)} passages that match`} the question best, in ${formatWhole(shownFiles)} of ${formatQuantity(files, 'file')} with ${formatQuantity(passages, 'passage')}. What other passages say is not in the answer.`,
  earlier_media_left_out: ({ count }) =>
    `${count === 1 ? 'One picture' : `${count} pictures`} of earlier questions would have been too much; attach again what is needed.`,
  earlier_media_not_seen: ({ count, model }) =>
    `${count === 1 ? 'A picture' : `${count} pictures`} of earlier questions ${count === 1 ? 'was' : 'were'} not sent: ${model} takes no pictures.`,
  picture_scaled: ({ picture, provider, from, to, type, takes }) => {
    const sizes = from !== undefined && to !== undefined && from !== to ? ` from ${from}` : '';
    const size = to === undefined ? '' : ` of ${to} pixels`;
    return `Picture ${picture} was sent to ${provider} as ${type}${size}${sizes === '' ? '' : `, scaled${sizes}`}, without its metadata: ${provider} takes ${takes}.`;
  },
  folder_cut: ({ folder = 'The repository', limit }) =>
    `${folder} holds more than ${limit} names; the others were not read.`,
  file_not_read: ({ path, error }, render) => `${path} was not read: ${render.message(error)}`,
  file_path_relative: ({ path }) =>
    `${path} was not read: it was named from another folder; give its absolute path.`,
  earlier_file_lost: ({ path, error }, render) =>
    `${path}, named earlier in the conversation, cannot be read: ${render.message(error)}`,
  earlier_files_left_out: ({ count }) =>
    `${count === 1 ? 'One file' : `${count} files`} named earlier in the conversation would have been too much; name again what is needed.`,
  expert_files_left_out: ({ count, total }) =>
    `${count} of ${total} files were too much to read for one expert.`,
  changes_outside_roots: () =>
    'The repository reaches beyond the folders that may be read: only changes within them are shown.',
  changes_since_merge_base: ({ name, commit }) =>
    `${name} has moved on: the work is compared with the commit where it began (${commit}).`,
  changed_files_cut: ({ changes, limit }) =>
    `Of the ${changes}, only the first ${limit} files or fewer are listed.`,
  diff_left_out: ({ changes }) =>
    `The text of the ${changes} was left out: there are too many files.`,
  diff_cut: ({ changes, bytes, leftOutBytes, measured }) => {
    const least = measured === 'at_least' ? 'more than ' : '';
    return `The text of the ${changes} has ${least}${formatMegabytes(bytes)}; the last ${least}${formatMegabytes(leftOutBytes)} of it were left out.`;
  },
  diff_not_utf8: ({ changes }) =>
    `The ${changes} hold bytes that are not UTF-8; they are shown as \uFFFD.`,
  untracked_files_cut: ({ limit }) =>
    `There are more than ${limit} untracked files; the others were not read.`,
  untracked_files_left_out: ({ count, limitFiles, limitBytes }) =>
    `${count} untracked files were left out: at most ${limitFiles} with ${formatMegabytes(limitBytes)} are shown.`,
  filters_not_run: ({ count, file }) =>
    `Filter programs of a repository are not run: ${count} changed files, such as ${file}, are shown as they are on disk.`,
  no_changes: () => 'Git knows of no such changes.',
  no_changes_requested: () =>
    'Nothing was read from git: compare_to is not given, and neither staged nor unstaged changes are requested.',
};
