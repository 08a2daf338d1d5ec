import type { Unknown } from '#core/json/json.ts';
import { WRITE_FILE } from './tool-definition.ts';

/** Runs a tool of the vendor and returns its data; throws if it failed. */
export type RunTool = (slug: string, args: Unknown) => Promise<Unknown>;

/** A call with the sandbox that it needs. */
export interface SandboxCall {
  readonly slug: string;
  readonly args: Unknown;
}

/** The sandboxes of the code interpreter that callers used last. */
export interface Sandboxes {
  /** The call as the vendor takes it; creates a sandbox where the caller has none. */
  prepare(call: SandboxCall, owner: string, run: RunTool): Promise<SandboxCall>;
  /** What a call that ended says about sandboxes. */
  note(call: SandboxCall, data: Unknown, owner: string): void;
  /** The sandbox is gone. */
  forget(owner: string): void;
}

const TOOLKIT = 'CODEINTERPRETER_';
const CREATE = 'CODEINTERPRETER_CREATE_SANDBOX';
const UPLOAD = 'CODEINTERPRETER_UPLOAD_FILE_CMD';
/** Seconds without a call after which the vendor may end a sandbox. */
const KEEP_ALIVE_SECONDS = 900;
const MAX_OWNERS = 1_000;

/** The tools that run with a tool of the code interpreter. */
export function sandboxToolsOf(slug: string): readonly string[] {
  if (slug === WRITE_FILE) return [CREATE, UPLOAD];
  return slug.startsWith(TOOLKIT) && slug !== CREATE ? [CREATE] : [];
}

export function createSandboxes(): Sandboxes {
  const byOwner = new Map<string, string>();

  function remember(owner: string, sandbox: unknown): string | undefined {
    if (typeof sandbox !== 'string' || sandbox === '') return undefined;
    byOwner.delete(owner);
    byOwner.set(owner, sandbox);
    const [oldest] = byOwner.keys();
    if (byOwner.size > MAX_OWNERS && oldest !== undefined) byOwner.delete(oldest);
    return sandbox;
  }

  async function sandboxOf(owner: string, run: RunTool): Promise<string | undefined> {
    const known = byOwner.get(owner);
    if (known !== undefined) return known;
    const data = await run(CREATE, { keep_alive: KEEP_ALIVE_SECONDS });
    return remember(owner, data['sandbox_id'] ?? data['id']);
  }

  return {
    async prepare(call, owner, run) {
      const { slug, args } = call;
      if (!slug.startsWith(TOOLKIT) || slug === CREATE) return call;
      const given = args['sandbox_id'];
      const sandbox =
        typeof given === 'string' && given !== '' ? given : await sandboxOf(owner, run);
      const withSandbox = { ...args, ...(sandbox !== undefined && { sandbox_id: sandbox }) };
      if (slug !== WRITE_FILE) return { slug, args: withSandbox };
      const { file_path: path, content, ...rest } = withSandbox as Unknown;
      const target = String(path);
      const file = {
        name: target.split('/').at(-1),
        content: Buffer.from(String(content)).toString('base64'),
      };
      return { slug: UPLOAD, args: { ...rest, destination_path: target, file, overwrite: true } };
    },
    note({ slug, args }, data, owner) {
      if (!slug.startsWith(TOOLKIT)) return;
      remember(owner, data['sandbox_id'] ?? (slug === CREATE ? data['id'] : args['sandbox_id']));
    },
    forget: (owner) => void byOwner.delete(owner),
  };
}
