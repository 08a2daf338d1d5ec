import { ACCESS_REQUIREMENTS } from './requirements/access.ts';
import { ASKING_REQUIREMENTS } from './requirements/asking.ts';
import { CLIENT_REQUIREMENTS } from './requirements/clients.ts';
import { COMMAND_REQUIREMENTS } from './requirements/commands.ts';
import { COMPOSIO_REQUIREMENTS } from './requirements/composio.ts';
import { DOCUMENT_REQUIREMENTS } from './requirements/documents.ts';
import { LIMIT_REQUIREMENTS } from './requirements/limits.ts';
import { DOCUMENTS_OFFICE_REQUIREMENTS } from './requirements/documents-office.ts';
import { LEGACY_DOCUMENT_REQUIREMENTS } from './requirements/documents-legacy.ts';
import { EXTRACT_REQUIREMENTS } from './requirements/extract.ts';
import { FILE_CHAT_REQUIREMENTS } from './requirements/file-chat.ts';
import { FILE_INDEX_REQUIREMENTS } from './requirements/file-index.ts';
import { FILE_FAULT_REQUIREMENTS } from './requirements/file-faults.ts';
import { VISION_REQUIREMENTS } from './requirements/vision.ts';
import { FILES_REQUIREMENTS } from './requirements/files.ts';
import { HUB_REQUIREMENTS } from './requirements/hub.ts';
import { LOGIN_REQUIREMENTS } from './requirements/logins.ts';
import { PAGE_AND_PACKAGE_REQUIREMENTS } from './requirements/page-and-package.ts';
import { GATEWAY_FILES_REQUIREMENTS } from './requirements/gateway-files.ts';
import { GATEWAY_TOOLS_REQUIREMENTS } from './requirements/gateway-tools.ts';
import { PROVIDER_REQUIREMENTS } from './requirements/providers.ts';
import { REACHING_TOOLS_REQUIREMENTS } from './requirements/reaching-tools.ts';
import { TOOL_LOOP_REQUIREMENTS } from './requirements/tool-loop.ts';
import { RESPONSES_REQUIREMENTS } from './requirements/responses.ts';
import { SECURITY_REQUIREMENTS } from './requirements/security.ts';
import { TERMINAL_REQUIREMENTS } from './requirements/terminal.ts';
import { SETTING_REQUIREMENTS } from './requirements/settings.ts';
import { UPLOADS_REQUIREMENTS } from './requirements/uploads.ts';
import { STORE_REQUIREMENTS } from './requirements/store.ts';
import { WEB_REQUIREMENTS } from './requirements/web.ts';

/**
 * What EX-AI promises, each by a name that tests cite with `verifies`. A promise without a test
 * fails the suite.
 */
export const REQUIREMENTS = {
  ...ACCESS_REQUIREMENTS,
  ...ASKING_REQUIREMENTS,
  ...CLIENT_REQUIREMENTS,
  ...HUB_REQUIREMENTS,
  ...LOGIN_REQUIREMENTS,
  ...COMMAND_REQUIREMENTS,
  ...COMPOSIO_REQUIREMENTS,
  ...DOCUMENT_REQUIREMENTS,
  ...LIMIT_REQUIREMENTS,
  ...DOCUMENTS_OFFICE_REQUIREMENTS,
  ...EXTRACT_REQUIREMENTS,
  ...FILE_CHAT_REQUIREMENTS,
  ...FILE_INDEX_REQUIREMENTS,
  ...LEGACY_DOCUMENT_REQUIREMENTS,
  ...FILES_REQUIREMENTS,
  ...FILE_FAULT_REQUIREMENTS,
  ...VISION_REQUIREMENTS,
  ...PAGE_AND_PACKAGE_REQUIREMENTS,
  ...GATEWAY_FILES_REQUIREMENTS,
  ...GATEWAY_TOOLS_REQUIREMENTS,
  ...PROVIDER_REQUIREMENTS,
  ...REACHING_TOOLS_REQUIREMENTS,
  ...TOOL_LOOP_REQUIREMENTS,
  ...RESPONSES_REQUIREMENTS,
  ...SECURITY_REQUIREMENTS,
  ...TERMINAL_REQUIREMENTS,
  ...SETTING_REQUIREMENTS,
  ...UPLOADS_REQUIREMENTS,
  ...STORE_REQUIREMENTS,
  ...WEB_REQUIREMENTS,

  'errors:closed-list': 'Each error class has one policy row and one line in docs/errors.md.',
  'errors:funnel':
    'Anything thrown becomes one CallError with a class, and no stranger’s text in its message.',

  'config:precedence':
    'A flag beats the environment, which beats .env, which beats config.json, which beats the default.',
  'config:unknown-key': 'An unknown setting is an error that names the nearest known one.',
  'config:malformed': 'A malformed file is refused with the line and column of the fault.',
  'config:wrong-type':
    'A value of the wrong kind is refused by its name, with what was expected and the source it came from.',
  'config:references':
    '${NAME} in config.json is taken from the environment, and a missing one is named.',
  'config:repository': 'Nothing in the current directory configures the daemon.',
  'config:aliases':
    'A setting or variable of 0.1 works under its old name in every source, with a notice that names the new one.',
  'doctor:aliases': '`exai doctor` names every old setting name in use, with the new one.',
  'log:aliases': 'A renamed log event carries its old name too, and a search finds it by either.',
  'metrics:aliases': 'A renamed metric is exported under its old name too.',
  'config:origin':
    '`exai config show --origin` says where each value came from and masks every secret.',
  'config:unwritable-home':
    'A home that cannot be written is refused with its path and the way out.',
  'keys:add': '`exai keys add` stores a key with mode 0600 without ever printing it.',
  'keys:remove':
    '`exai keys remove` removes that key and leaves every other line of the file alone.',

  'log:timestamps': 'Every log line carries the three timestamps, its event and its request id.',
  'log:rotation':
    'A log file never exceeds its size, and each line is written whole or, in a flood, counted as lost.',
  'log:disk-full':
    'A log that cannot be written stops nothing and says later how many lines it lost.',
  'log:redaction':
    'No key, token, cookie or authorization header reaches a log, however it is nested.',
  'metrics:prometheus': 'Metrics are served in the Prometheus text format.',
  'tracing:otlp':
    'With an OTLP endpoint set, spans arrive there by OTLP/HTTP; without one the SDK is not even loaded.',

  'audit:verify': '`exai audit verify` finds a changed, missing or inserted row and names it.',

  'daemon:serve':
    '`exai serve` prints where it listens and answers /healthz, /readyz and /metrics.',
  'daemon:start':
    '`exai start` and `exai restart` leave one daemon in the background and say where it listens.',
  'daemon:drain':
    'SIGTERM finishes what is running, then stops in order and leaves nothing behind.',
  'daemon:interrupted':
    'Calls that still run when the time of a stop is over are answered with `interrupted`, whatever the transport.',
  'daemon:single': 'A second daemon on one home points to the first and changes nothing.',
  'daemon:programs':
    'A program that the daemon runs ends with the daemon, within five seconds even after kill -9, and so does all that the program started.',
  'daemon:stale-lock': 'After kill -9 the next daemon starts without help.',
  'daemon:port-taken': 'A taken port is named, with the way to choose another.',
  'daemon:deny': 'A foreign Host header is refused, and a bind beyond loopback needs a token.',

  'calls:registry':
    'Tools are listed by profile and lists of names, in one order, under a version that changes with any definition.',
  'calls:names': 'The suffixes and the prefix that older clients add to tool names are understood.',
  'calls:validate':
    'A wrong argument is refused by its name, with what was expected and the nearest right name.',
  'calls:admit':
    'Calls that wait for a provider are limited and queued fairly; over that they are told when to come back.',
  'calls:coalesce':
    'Identical calls of one principal that run at the same time are one piece of work, never across principals.',
  'calls:cancel':
    'Cancelling a call stops its work, frees its slot, and brings exactly one answer.',
  'calls:deadline':
    'Every call is answered by its deadline, and a client may ask for an earlier one.',
  'calls:audit':
    'Every call leaves one audit row; one that changes something is on disk before it is answered.',
  'calls:metadata':
    'Every call carries when and where it was made by the daemon’s clock; a client’s own is checked and stored beside.',
  'calls:flat': 'A call costs the same with ten thousand tools as with ten.',
  'log:levels': 'A caller’s own mistake is no warning of the daemon’s.',
  'shim:hang': 'A daemon that hangs costs a typed error in bounded time, and a shim always ends.',
  'shim:idle': 'A daemon that was stopped stays stopped until a client needs one.',
  'tools:reporting':
    'status, health, version and activity take the parameters of the originals and show nothing of other principals.',
  'tools:filter': 'A hostile filter of activity cannot hold up the daemon.',
  'mcp:eras': 'MCP is spoken in both eras over one socket, by the official client.',
  'mcp:errors': 'Malformed, odd and unknown messages get the answers that the specification wants.',
  'mcp:progress': 'Progress rises with each notification and is left out for who cannot read it.',
  'mcp:matrix': 'Every part of MCP works the same over every transport and in both eras.',
  'mcp:rounds':
    'A tool that asks is asked for in the way of its era and run again with sealed, unforgeable answers.',
  'mcp:subscriptions': 'Who subscribed hears of what changed, and of nothing else.',
  'mcp:lists': 'Lists are in one order, in pages, and differ only by what their principal may use.',
  'mcp:conformance-2025':
    'The conformance suite finds everything that 2025-11-25 requires, and what was added since.',
  'mcp:conformance-2026':
    'The conformance suite finds everything that 2026-07-28 requires, its header and schema checks included.',
  'mcp:dns-rebinding':
    'A request with a foreign Host and Origin is refused, and one with a local Host and Origin is served.',
  'mcp:materials':
    'Status, tools and their definitions are resources, shown to whoever may use them.',
  'mcp:fixtures': 'The fixtures of the conformance suite exist only where they were asked for.',
  'http:streamable':
    'Streamable HTTP answers in both eras: as JSON when nothing streams, as a stream otherwise.',
  'http:sessions':
    'A session belongs to its principal, ends when told or when idle, and is never found again.',
  'http:resume': 'A stream that was cut goes on where it stopped, losing and repeating nothing.',
  'http:headers': 'Headers that are missing, wrong or at odds with the body are refused by name.',
  'http:security':
    'A foreign Host, Origin or token is refused before anything is read, and unknown paths at once.',
  'http:limits':
    'Bodies over the limit, slow senders, slow readers and floods of sessions cost bounded memory.',
  'http:sse-2024': 'The transport of 2024 works for clients that know no other.',
  'exai:frames': 'Every frame of the originals is answered in its shape, with their codes.',
  'exai:many': 'Any number of calls run at once on one socket, each answered once.',
  'door:upgrade':
    'A WebSocket is made only for our own names and origins, with room for it, and without compression.',
  'door:limits':
    'A message over the limit, a silent client and one that does not read are ended without growing memory.',
  'door:alive': 'Sockets are pinged, and one that does not answer is given up.',
  'door:fuzz': 'Whatever bytes arrive at a door, it answers with a typed error and lives on.',
  'door:unix': 'The socket file is private to its owner and speaks one message a line.',
  'shim:start': 'Any number of shims started at once start one daemon.',
  'shim:reconnect':
    'A daemon that dies under a shim is replaced, and every request gets exactly one answer.',
  'shim:skew':
    'A newer client replaces an older daemon, and settings that the daemon lacks are named.',
  'shim:clean': 'The shim writes nothing but messages to its output.',
  'shim:wishes':
    'What a client wished for holds across daemons, and it hears of what it may have missed.',
  'shim:questions': 'What a dead daemon asked is taken back, and a late answer reaches nobody.',
  'shim:daemon-outlives':
    'A daemon that a shim started is there when the client that needed it has gone, however it went.',

  'net:ssrf':
    'An address from outside reaches public hosts only, in whatever form it is written, at every redirect and whatever the name resolves to.',
  'net:proxy':
    'Proxy settings are honoured as curl honours them, and never for this machine itself.',
  'net:ca': 'A certificate authority of your own is trusted beside the usual ones.',
  'net:released': 'Whatever ends an exchange, its socket, timers and listeners are gone.',
  'net:record':
    'What was recorded of a provider is replayed exactly, and no key or token is in the recording.',

  'wire:sse':
    'A stream gives the same text however its bytes are cut, its lines end and its comments stand.',
  'wire:tool-calls':
    'Tool calls are put together from pieces without index or id, from objects and from plain text.',
  'wire:errors':
    'A refusal of any shape becomes one class with its retry hint, and its message holds no key.',
  'wire:never-quiet':
    'An answer that is cut off, empty, only thought or without an end is an error, unless it reached its limit, and what came before it is kept.',
  'wire:timers': 'No exchange outlives its first-token, idle or total time.',
  'wire:vendor-ids': 'The request ids of the vendor are kept for every exchange.',

  'provider:cases': 'One suite of cases holds for every provider over real HTTP.',
  'provider:facts': 'Every rule that we know a vendor to enforce is respected before it is asked.',
  'provider:faults':
    'Each fault of the list gives its class, its retry hint and the text that came before it.',
  'provider:bad-input':
    'A bad request is refused before a byte is sent, with the field and the fix.',
  'provider:memory': 'Long prompts, uploads and streams take memory in proportion to their size.',
  'provider:local':
    'The last resort answers from what it is given, cites it, and says that no model was reachable.',
  'provider:discovery':
    'Model servers of this machine are found only when that is allowed, and nothing else is taken for one.',

  'models:catalogue': 'The catalogue is valid data: names, dates, prices, successors.',
  'models:resolve':
    'Every model name of the originals resolves; a retired one to its successor, with a notice.',
  'models:tokens':
    'Token estimates are close, take linear time on any input, and count exactly near a limit.',
  'models:lists': 'Allow and deny lists are obeyed, and a list that leaves none is explained.',
  'models:refresh': '`exai models refresh` takes over what the providers list, and keeps it.',
  'keys:isolation':
    'A key reaches its provider’s host and nothing else: no error, log, span, recording or other host.',
  'keys:test': '`exai keys test` says of each key whether its provider accepts it, and what to do.',
  'keys:add-tests':
    '`exai keys add` asks the provider whether it accepts the stored key, names its host, and exits with the code of a refusal.',
  'keys:add-asks': 'On a terminal `exai keys add` asks before it replaces a stored key.',
  'keys:lift':
    '`exai keys test` ends the cool-down of an account that works again, in the running daemon or in its store.',

  'emulator:facts':
    'The emulator refuses, ignores and streams as the facts say that the vendor does.',
  'emulator:clients': 'The official clients work against the emulator unchanged.',
  'emulator:control': 'Faults, switches and the requests received are there to set and to see.',

  'route:table':
    'Each row of the decision tables leads to its model, and the answer says which rule it was.',
  'route:sound':
    'There is a plan or the reason why not; who is broken, forbidden or unable is never in it.',
  'route:explain':
    '`exai explain` and `route` show facts, rules, chain and the very payload, and ask nobody.',
  'route:intent':
    'A small model says in time what an unclear request is, once for the same; its failure fails nothing.',
  'route:docs': 'docs/routing.md is what the rules are.',
  'context:fit':
    'What is sent fits the window or is refused; what was left out or summarised is said.',
  'context:blocks': 'No chunk begins or ends inside a code fence or a table that could be whole.',
  'context:summaries':
    'Long texts are summarised section by section, once for the same content, and a failing part is quoted.',
  'context:corrections': 'Token estimates are corrected for each model by what it really counted.',
  'breaker:rules':
    'A breaker opens, probes and closes as its rules and the class of the failure say.',
  'breaker:restart': 'A restart forgets no outage, and holds none longer than it may.',
  'usage:kept':
    'What asking took is on disk before the answer is given, whatever becomes of the call.',
  'usage:shown': '`exai usage` and `status` say what was spent, by client, model, tool and day.',

  'tools:text-first':
    'A tool answers with its text, with the envelope in _meta; tools.outputSchemas adds output schemas and structuredContent to every answer.',
  'chat:continues': 'A chat goes on after a restart with its history and its model.',
  'chat:files':
    'Paths are read under the roots, and files of earlier calls are in view as they are now.',
  'planner:tree':
    'Steps, revisions and branches of a plan are told whole, and nothing is forgotten.',
  'planner:references': 'A plan that refers to what is not there is refused by its field.',
  'challenge:wrapped': 'A statement comes back as a challenge, without a model.',
  'glm:preview': 'glm_payload_preview is the very body that GLM would be sent.',
  'prompt:forging':
    'No prompt, file, name or earlier turn changes the structure that a provider sees.',
  'consensus:parallel':
    'All models of a consensus are asked at once and blind; who is late or fails is missing, and the rest is told.',
  'consensus:quorum': 'A consensus without its quorum says so, and gives what there is.',
  'files:roots':
    'Nothing outside the roots is read, by whatever path, link, swap or special file it is named.',
  'files:git': 'No setting of a repository runs a program when its changes are read.',
  'cli:chat':
    '`exai chat` streams, resumes, explains and counts, and lives through a cancel and a restart.',

  'jobs:handed-off':
    'A call that takes longer than its client waits goes on as a job, which is stored before its id is told.',
  'jobs:patience':
    'How long a client waits is decided by what it says of itself: progress, tasks, its name; and the reason is told.',
  'jobs:deadline': 'A job has the time of a job, and what it began before has it, too.',
  'jobs:background':
    'A call in the background is in the queue, for good, before it is acknowledged.',
  'jobs:rights':
    'A job runs with the rights that its client has today, and not for one that lost its token.',
  'jobs:durable': 'No end of a job is lost to a store that fails for a while.',
  'jobs:resumed': 'After a restart a resumable job goes on from its checkpoint.',
  'jobs:interrupted':
    'A job that cannot be run again ends as interrupted, with what there was of its answer, and is not begun twice.',
  'jobs:cancelled': 'A cancelled job stops, stays cancelled, and can be cancelled again.',
  'jobs:given-up': 'A client that gave up at its own limit finds its answer in a later session.',
  'jobs:leased': 'Of a job that several daemons want, one has it, and one end of it is stored.',
  'jobs:flat': 'Listing and reading jobs and results reads no more because there are many.',
  'jobs:tools':
    'job_result, job_cancel and job_list tell a model how a job stands, and whose it is not.',
  'jobs:asks':
    'A job that asks something is answered through tasks or job_result, in parts or at once.',
  'jobs:killed': 'Of 200 jobs under kills each ends once, none is lost and none completes twice.',
  'results:kept':
    'A result is kept whole, in both stores, and any part of it costs the same to read.',
  'results:fit':
    'An answer that is longer than its client takes is kept; the client gets the head and the way to the rest.',
  'results:paged':
    'read_result gives a long result piece by piece, and together they are all of it.',
  'tasks:conformance': 'Every scenario of the suite about tasks passes.',
  'tasks:input':
    'A task that asks is answered by tasks/update, in parts; wrong keys are passed over.',
  'tasks:foreign': 'A task is unknown to everybody but its principal.',
  'progress:alive': 'A client that listens to progress hears of a call at least every ten seconds.',
  'prompts:tools':
    'The tools that people start are prompts, whose arguments cannot pass for our words.',
  'prompts:completion':
    'Names of models and ids of conversations are completed, of one’s own only.',
  'resources:threads':
    'Conversations, usage and logs can be read as resources, by whom they belong to.',
  'resources:watched': 'Who watches a resource hears when it changes, and of nobody else’s.',
  'init:formats': 'exai init writes the settings of each client in its published format.',
  'init:careful':
    'Comments, order, trailing commas and unknown keys of a settings file survive, and a second run changes nothing.',
  'init:undo': 'exai init --undo gives back the bytes, or takes out only what it had put in.',
  'init:connects':
    'What exai init writes, also through npx and a global install, is started as the client would and answers.',
  'init:never-started': 'A client that is installed and was never started is found.',
  'init:refuses': 'A settings file that is malformed is left alone and named with its position.',
  'service:units': 'exai service writes units that systemd and launchd read as they were meant.',
  'service:careful': 'A unit that somebody changed is neither overwritten nor removed unasked.',
  'tools:apilookup': 'apilookup searches by itself and names its sources.',
  'cli:jobs': 'exai jobs lists, shows, follows and cancels, on a terminal and in a pipe.',

  'gateway:openai-sdk': 'The openai SDKs 6 and 7 do at the gateway all that they do at OpenAI.',
  'gateway:ai-sdk': 'The ai SDKs 6 and 7 do at the gateway all that they do at OpenAI.',
  'gateway:anthropic-sdk': 'The Anthropic SDK does at /v1/messages all that it does at Anthropic.',
  'gateway:langchain': 'LangChain works at the gateway unchanged.',
  'gateway:old-clients': 'Functions of 2023, LiteLLM and generated clients are understood.',
  'gateway:survives':
    'A text whose model dies in mid-sentence arrives whole and once, with the seam told.',
  'gateway:interrupted':
    'Half-sent tool arguments, or a text that nobody may go on with, end as interrupted and never as a good end.',
  'gateway:held-head': 'Until the first word every failure is invisible, or a plain HTTP error.',
  'gateway:late-head':
    'A stream that began with signs of life ends whole, or with an error within it.',
  'gateway:disconnect': 'A client that leaves takes the request to its vendor along at once.',
  'gateway:slow-reader':
    'A slow client gets all of it; one that reads nothing is cut, and others go on.',
  'gateway:bad-input':
    'What is wrong with a request is said in the shape of the API that was asked, by its field, and nobody is asked.',
  'gateway:hostile-body':
    'Any JSON that is sent as a chat becomes an order or one typed error with a field.',
  'gateway:grammar':
    'Any row of pieces is a stream by the grammar of its API, from which nothing is missing; a failure never looks like a good end.',
  'gateway:errors':
    'Every error class has the words and the status that clients of each API expect.',
  'gateway:keys':
    'A client comes by its key, in either header; an unknown key is 401, one out of scope 403.',
  'gateway:budget': 'A client whose budget is spent gets 402, and the others go on.',
  'gateway:names':
    'Names of models that nobody here knows mean what the settings say; every other name is itself.',
  'gateway:choices':
    'Several answers are asked for at once, and every piece is told with its number as it comes.',
  'gateway:embeddings':
    'Embeddings come from one model, in the order of the texts; a failure never goes to another model.',
  'gateway:route':
    'auto sends plain questions to a quick model, and code, tools, pictures and long prompts to the ones that suit.',
  'gateway:rights':
    'The operations of the gateway are listed to nobody, and scopes name them as they name tools.',
  'gateway:faults':
    'Under every fault of a vendor, whole or streamed, in either dialect, a client gets the whole answer once or a typed error.',
  'gateway:drain':
    'A daemon that stops tells open streams so within them, and lets their vendors go.',
  'gateway:explain': 'exai explain gateway_chat explains the very body of a request.',
  'gateway:env':
    'exai gateway env prints what points a tool at the gateway, and never a token unasked.',
  'gateway:docs': 'docs/gateway.md names every class of failure as the gateway tells it.',
} as const;

export type RequirementId = keyof typeof REQUIREMENTS;
