import type { McpHttpContext, OpenMcp } from '#transport/streamable/open-mcp.ts';
import type { McpSink } from '#transport/mcp/mcp-sink.ts';
import type { Disk } from './disk.ts';
import { confirmsChange } from './client.ts';
import type { JobBook } from './job-book.ts';
import { CLIENT_PROTOCOLS } from './client-protocols.ts';
import type { Watch } from './watch.ts';
import type { Message } from './wire.ts';
import type { Simulation } from './simulation.ts';

/** What MCP says to its clients over HTTP, before any stream has it. */
export interface HttpWatch {
  around(openMcp: OpenMcp): OpenMcp;
  /** How often a session was told something that belongs to no request. */
  told(session: string): number;
  isSaid(session: string, text: string): boolean;
}

const CANCELLED = 'notifications/cancelled';

export interface HttpWatchOptions {
  readonly simulation: Simulation;
  readonly disk: Disk;
  readonly watch: Watch;
  readonly jobBook: JobBook;
}

export function createHttpWatch({ simulation, disk, watch, jobBook }: HttpWatchOptions): HttpWatch {
  const said = new Map<string, Set<string>>();
  const told = new Map<string, number>();

  function note({ session, era }: McpHttpContext, text: string): void {
    if (era === 'modern') return;
    let texts = said.get(session);
    if (!texts) said.set(session, (texts = new Set()));
    texts.add(text);
  }

  function watched(line: McpSink, about: McpHttpContext, cancelled: ReadonlySet<unknown>): McpSink {
    return {
      ...line,
      send(text, request) {
        note(about, text);
        if (request === undefined) told.set(about.session, (told.get(about.session) ?? 0) + 1);
        line.send(text, request);
      },
      reply(id, text, status) {
        note(about, text);
        if (cancelled.has(id))
          simulation.violate('cancelled', `${String(id)} is answered after it was cancelled`);
        const heard = CLIENT_PROTOCOLS.modern.hear(JSON.parse(text) as Message);
        if (heard.is === 'answer' && confirmsChange(heard) && !disk.rows.has(heard.reqId))
          simulation.violate('durable', `${heard.reqId} is answered before its record is on disk`);
        if (heard.is === 'answer' && heard.task) jobBook.taskTold(heard.task);
        if (heard.is === 'answer' && heard.job) jobBook.told(heard.job.id, String(id));
        line.reply(id, text, status);
      },
    };
  }

  return {
    around: (openMcp) => (line, about) => {
      const cancelled = new Set<unknown>();
      const received = new Set<unknown>();
      const session = openMcp(watched(line, about, cancelled), about);
      return {
        ...session,
        receive(message) {
          if (message.is === 'request') received.add(message.id);
          else if (message.is === 'notification' && message.method === CANCELLED) {
            const id = message.params?.['requestId'];
            // It may have overtaken what it is to cancel.
            if (received.has(id)) cancelled.add(id);
            const isByTime = CLIENT_PROTOCOLS.modern.gaveUp(String(message.params?.['reason']));
            if (isByTime) watch.gaveUp(String(id));
            else watch.cancelWished(String(id), about.session);
          }
          session.receive(message);
        },
      };
    },
    told: (session) => told.get(session) ?? 0,
    isSaid: (session, text) => said.get(session)?.has(text) ?? false,
  };
}
