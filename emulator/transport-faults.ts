import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OpenRequest } from './requests.ts';
import { MARK } from './reply.ts';
import type { Fault } from './vendor.ts';

const GATEWAY_PAGE =
  '<html>\r\n<head><title>504 Gateway Time-out</title></head>\r\n<body>\r\n' +
  '<center><h1>504 Gateway Time-out</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n';

/** Faults that come before any vendor has a word; tells whether it was one. */
export function failBeforeAnswer(
  req: IncomingMessage,
  res: ServerResponse,
  entry: OpenRequest,
  fault: Fault,
): boolean {
  const answer = (status: number, type: string, body: string): true => {
    entry.status = status;
    res.writeHead(status, {
      'content-type': type,
      'content-length': Buffer.byteLength(body),
      ...MARK,
    });
    res.end(body);
    return true;
  };
  switch (fault.id) {
    case 'F4.504':
      return answer(504, 'text/html', GATEWAY_PAGE);
    case 'F4.502':
      return answer(502, 'text/plain', '');
    case 'F15.413':
      return answer(413, 'text/html', '<html><h1>413 Request Entity Too Large</h1></html>');
    case 'F4.503':
      return answer(503, 'text/plain', '');
    case 'F4.500':
      return answer(500, 'application/json', '{"error":{"message":"internal failure","type":""}}');
    case 'F5.reset':
      req.socket.resetAndDestroy();
      return true;
    case 'F5.silent':
      return true;
    default:
      return false;
  }
}
