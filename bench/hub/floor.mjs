// The floor: HTTP requests are written to the pipe of a server and its answers written back, with no
// check of anything.
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

const [script] = process.argv.slice(2);
const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
const waiting = new Map();
let lastId = 0;
createInterface({ input: child.stdout }).on('line', (line) => {
  const message = JSON.parse(line);
  const { response, id } = waiting.get(message.id);
  waiting.delete(message.id);
  const headers = { 'content-type': 'application/json', 'mcp-session-id': 'one' };
  response.writeHead(200, headers).end(JSON.stringify({ ...message, id }));
});
const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const message = JSON.parse(Buffer.concat(chunks).toString());
    if (message.id === undefined) return void response.writeHead(202).end();
    lastId += 1;
    waiting.set(lastId, { response, id: message.id });
    child.stdin.write(`${JSON.stringify({ ...message, id: lastId })}\n`);
  });
});
server.listen(0, '127.0.0.1', () =>
  console.log(`listening on http://127.0.0.1:${server.address().port}`),
);
process.on('SIGTERM', () => child.kill() && process.exit());
