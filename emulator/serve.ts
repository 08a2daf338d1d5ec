import type { IncomingMessage, ServerResponse } from 'node:http';
import { ReadAsk } from './ask.ts';
import { control } from './control.ts';
import type { Faults } from './faults.ts';
import type { OpenRequest, Requests } from './requests.ts';
import { MARK, WrittenReply } from './reply.ts';
import { failBeforeAnswer } from './transport-faults.ts';
import { isUpload, receive } from './upload-faults.ts';
import type { Ask, Fault, Vendor } from './vendor.ts';

export interface EmulatorState {
  readonly vendors: readonly Vendor[];
  readonly faults: Faults;
  readonly requests: Requests;
  readonly now: () => number;
  readonly chunkMs: number;
}

/** One request from its first byte to its answer. */
export async function serve(
  emulator: EmulatorState,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const url = req.url ?? '/';
  const mark = url.indexOf('?');
  const path = mark === -1 ? url : url.slice(0, mark);
  const query = mark === -1 ? '' : url.slice(mark + 1);
  const vendor = emulator.vendors.find(
    ({ prefix }) =>
      path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/'),
  );
  const below = vendor === undefined ? path : path.slice(vendor.prefix.length) || '/';
  const uploadFault =
    vendor && isUpload(req) ? emulator.faults.takeForUpload(vendor, below) : undefined;
  const body = await receive(req, uploadFault);
  if (body === 'cut') return;
  if (body === 'too large') {
    say(res, 413, 'The emulator takes bodies of up to 256 MB.');
    req.socket.destroySoon();
    return;
  }
  const ask = new ReadAsk({ req, res, path: below, query, body, now: emulator.now });
  if (vendor === undefined) {
    const answer = control(emulator, ask);
    res.writeHead(answer.status, { 'content-type': 'application/json', ...MARK });
    res.end(`${JSON.stringify(answer.body, null, 2)}\n`);
    return;
  }
  const entry = emulator.requests.add(vendor.name, url, ask);
  res.once('close', () => {
    entry.left = !res.writableFinished;
  });
  let fault: Fault | undefined;
  try {
    fault = uploadFault ?? emulator.faults.take(vendor, below, ask.headers['x-emulate-fault']);
  } catch (error) {
    entry.status = 400;
    say(res, 400, (error as Error).message);
    return;
  }
  if (fault !== undefined) {
    entry.fault = fault;
    ask.fault = fault;
  }
  await answerAs(vendor, { emulator, req, res, entry, ask, fault });
}

interface Answering {
  readonly emulator: EmulatorState;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly entry: OpenRequest;
  readonly ask: Ask;
  readonly fault: Fault | undefined;
}

async function answerAs(vendor: Vendor, options: Answering): Promise<void> {
  const { emulator, req, res, entry, ask, fault } = options;
  const own =
    fault !== undefined && Object.hasOwn(vendor.faults, fault.id)
      ? vendor.faults[fault.id]
      : undefined;
  const theFrames = own === undefined ? fault : undefined;
  if (theFrames !== undefined && failBeforeAnswer(req, res, entry, theFrames)) return;
  const reply = new WrittenReply({ ask, res, entry, fault: theFrames, chunkMs: emulator.chunkMs });
  try {
    if (own !== undefined && fault !== undefined && (await own(ask, reply, fault)) === 'answered')
      return;
    await vendor.handle(ask, reply);
  } catch (error) {
    // A fault of the emulator itself: it is not to be mistaken for the vendor's.
    entry.status = 500;
    if (res.headersSent) res.destroy();
    else
      say(
        res,
        500,
        `The emulator failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
  }
}

function say(res: ServerResponse, status: number, message: string): void {
  const body = JSON.stringify({ error: { message, type: 'emulator_error' } });
  res.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...MARK,
  });
  res.end(body);
}
