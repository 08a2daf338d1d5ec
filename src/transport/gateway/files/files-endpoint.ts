import { CallError } from '#core/errors/call-error.ts';
import {
  GATEWAY_OPERATIONS,
  type GatewayFiles,
  type GatewayStoredFile,
  type GatewayUpload,
} from '#core/llm/gateway.ts';
import type { FileStore, StoredFile } from '#core/stores/files.ts';
import type { Endpoint } from '../../http/endpoint-dispatcher.ts';
import type { HttpContext } from '../../http/http-context.ts';
import { dialectHeaders, type GatewayDialect } from '../dialect.ts';
import { authenticated, type GatewayContext } from '../endpoints.ts';
import { sendError } from '../error-response.ts';
import type { CallerContext } from '../request.ts';
import type { UnaryCall, UnaryCalls } from '../unary-calls.ts';
import { ANTHROPIC_FILES, OPENAI_FILES, type FileStyle } from './file-objects.ts';
import { readForm } from './read-form.ts';

export interface FilesDeps {
  readonly dialects: { readonly openai: GatewayDialect; readonly anthropic: GatewayDialect };
  readonly unary: UnaryCalls;
  readonly files: Pick<FileStore, 'read'>;
}

type Action =
  | { readonly is: 'create' | 'list' }
  | { readonly is: 'read' | 'delete'; readonly id: string }
  | { readonly is: 'content'; readonly id: string };

const STYLES = { openai: OPENAI_FILES, anthropic: ANTHROPIC_FILES } as const;

/**
 * The files of a client, at and below `path`. Both vendors have them at the same path; Anthropic's
 * clients send `anthropic-version`.
 */
export function filesEndpoint(
  path: string,
  { dialects, unary, files }: FilesDeps,
  gateway: GatewayContext,
): Endpoint {
  const dialectOf = ({ request: { headers } }: HttpContext) =>
    headers['anthropic-version'] === undefined ? dialects.openai : dialects.anthropic;

  function serve(
    context: HttpContext,
    dialect: GatewayDialect,
    action: Action,
    by: CallerContext,
  ): void {
    const style = STYLES[dialect.name];
    if (action.is !== 'content') {
      return unary.serve(context, dialect, toCall(context, action, style), by);
    }
    const { id } = action;
    const { principal } = by.caller;
    unary.serve(
      context,
      dialect,
      {
        tool: GATEWAY_OPERATIONS.readFile,
        args: { id },
        write({ content }) {
          const { file } = content as GatewayStoredFile;
          void sendContent(context, dialect, file, () => files.read(id, principal));
          return undefined;
        },
      },
      by,
    );
  }

  return {
    path,
    serves: 'below',
    handle(context) {
      const dialect = dialectOf(context);
      const found = findAction(context, path);
      if (!found) return sendError(context, dialect, unknownPath(context));
      authenticated(context, dialect, found.methods, gateway, (by) =>
        serve(context, dialect, found.action, by),
      );
    },
    refuse: (context, error) => sendError(context, dialectOf(context), error),
  };
}

function toCall(
  context: HttpContext,
  action: Exclude<Action, { readonly is: 'content' }>,
  style: FileStyle,
): UnaryCall {
  const { createFile, listFiles, readFile, deleteFile } = GATEWAY_OPERATIONS;
  const write: UnaryCall['write'] = ({ content }) =>
    style.writeFile((content as GatewayStoredFile).file);
  switch (action.is) {
    case 'create': {
      const { request } = context;
      const args: GatewayUpload = { receive: (store) => readForm(request, style, store) };
      return { tool: createFile, args, write };
    }
    case 'list': {
      const query = urlOf(context).searchParams;
      return {
        tool: listFiles,
        args: style.readQuery(query),
        write: ({ content }) => style.writeFiles(content as GatewayFiles, query),
      };
    }
    case 'read':
      return { tool: readFile, args: { id: action.id }, write };
    case 'delete': {
      const { id } = action;
      return { tool: deleteFile, args: { id }, write: () => style.writeDeleted(id) };
    }
  }
}

const ALL = ['GET', 'HEAD', 'POST'];
const ONE = ['GET', 'HEAD', 'DELETE'];
const CONTENT = ['GET', 'HEAD'];

function findAction(
  context: HttpContext,
  path: string,
): { readonly action: Action; readonly methods: readonly string[] } | undefined {
  const { method } = context.request;
  const below = urlOf(context).pathname.slice(path.length).split('/');
  const [id, part, ...more] = below.filter((each) => each !== '').map(decoded);
  if (more.length > 0 || (part !== undefined && part !== 'content')) return undefined;
  if (id === undefined) {
    return { action: { is: method === 'POST' ? 'create' : 'list' }, methods: ALL };
  }
  if (part === 'content') return { action: { is: 'content', id }, methods: CONTENT };
  return { action: { is: method === 'DELETE' ? 'delete' : 'read', id }, methods: ONE };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // No id has an invalid escape.
    return part;
  }
}

function urlOf({ request: { url = '' } }: HttpContext): URL {
  return new URL(url, 'http://localhost');
}

function unknownPath({ request: { url = '' } }: HttpContext): CallError {
  return new CallError('not_found', `Nothing is served at ${url.slice(0, 200)}.`, {
    fix: 'Use /v1/files, /v1/files/{id} or /v1/files/{id}/content.',
  });
}

/** Sends the bytes of a file. They are the client's own, and no browser may take them for a page. */
async function sendContent(
  context: HttpContext,
  dialect: GatewayDialect,
  file: StoredFile,
  open: () => ReturnType<FileStore['read']>,
): Promise<void> {
  try {
    const content = await open();
    if (!content) throw new CallError('not_found', 'The content of this file is gone.');
    await context.sendBytes?.(content.chunks, [
      'content-type',
      'application/octet-stream',
      'content-length',
      String(file.bytes),
      'content-disposition',
      `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}`,
      ...dialectHeaders(dialect, context),
    ]);
  } catch (thrown) {
    sendError(context, dialect, CallError.from(thrown));
  }
}
