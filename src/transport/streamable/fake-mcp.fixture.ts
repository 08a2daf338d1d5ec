import { rpcResultResponse, type RequestId } from '#mcp/json-rpc.ts';
import { LEGACY_VERSIONS } from '#mcp/protocol-versions.ts';
import type { RpcMessage, RpcRequest } from '#mcp/read-message.ts';
import type { McpSink, McpSession } from '../mcp/mcp-sink.ts';
import type { McpHttpContext, OpenMcp } from './open-mcp.ts';

/**
 * A session that records messages and replies as the test wants. It answers `initialize` and `ping`
 * itself.
 */
export interface FakeMcp extends McpSession {
  readonly sink: McpSink;
  readonly about: McpHttpContext;
  readonly received: RpcMessage[];
  closes: number;
  ends: number;
  /** Arguments of its drain calls. */
  readonly drains: (string | undefined)[];
  answer(id: RequestId, result?: unknown, status?: number): void;
  notify(note: string, about?: RequestId): void;
  /** Resolves `drain`. */
  settle(): void;
}

export function createFakeMcps(onRequest?: (session: FakeMcp, message: RpcRequest) => void) {
  const sessions: FakeMcp[] = [];
  const openMcp: OpenMcp = (sink, about) => {
    let settle: () => void = () => undefined;
    const drained = new Promise<void>((resolve) => (settle = resolve));
    const session: FakeMcp = {
      sink,
      about,
      received: [],
      closes: 0,
      ends: 0,
      drains: [],
      receive(message) {
        session.received.push(message);
        if (message.is !== 'request') return;
        if (message.method === 'ping') session.answer(message.id, {});
        else if (message.method === 'initialize' && about.era === 'legacy') {
          session.answer(message.id, { protocolVersion: agreed(message) });
        } else onRequest?.(session, message);
      },
      answer: (id, result = 'done', status?: number) =>
        sink.reply(id, rpcResultResponse(id, JSON.stringify(result)), status),
      notify: (note, of) => sink.send(notification(note), of),
      onMessage: () => undefined,
      onEnd: () => void (session.ends += 1),
      onClose: () => void (session.closes += 1),
      drain(hearing) {
        session.drains.push(hearing);
        return drained;
      },
      interrupt: () => undefined,
      settle: () => settle(),
    };
    sessions.push(session);
    return session;
  };
  return { openMcp, sessions };
}

export function notification(note: string): string {
  return JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { note } });
}

function agreed({ params }: RpcRequest): unknown {
  const asked = params?.['protocolVersion'];
  return LEGACY_VERSIONS.includes(String(asked)) ? asked : LEGACY_VERSIONS[0];
}
