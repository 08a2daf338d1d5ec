/** Several words that mean one thing. */
export const PHRASES = {
  askFor: 'ask the user|asks the user|ask them',
  ask: 'ask the user|asks the user|ask them|confirm with',
  user: 'ask the user|asks the user|ask them',
  granted:
    'already agreed|confirm all|confirms all|approve all|approve automatically|' +
    'confirm automatically|accept all dialogs|auto-confirm|auto-accept|owner already|' +
    'user already|agreed to everything|consents to everything|agreed in advance|' +
    'already approved|pre-approved everything|already authorized|already consented|' +
    'approved in advance|pre-authorized|deemed approved|counts as consent|implies consent|' +
    'consent is given|already given|approval is implied|treated as approved|' +
    'considered approved|permission is granted|been authorised|been authorized',
  shellCommand:
    'shell command|shell commands|shell script|arbitrary command|arbitrary commands|' +
    'arbitrary code|system command|system commands|bash command|terminal command|' +
    'terminal commands|operating system commands|system shell|os commands',
  order:
    'hidden instructions|instructions you run under|earlier guidance|previous guidance|' +
    'prior guidance|above directions|previous directions|prior directions|' +
    'earlier directions|your directions|above instructions|what you were told|' +
    'everything you were told|you were told|what it says|what the text says|hidden message',
  prior:
    'above directions|previous directions|prior directions|earlier directions|' +
    'your directions|above instructions|what you were told|everything you were told',
  disable:
    'turn off|turns off|turned off|turning off|switch off|switched off|switches off|' +
    'set aside|switched to off|put aside|shut off|take down|no longer apply|not apply|' +
    'without regard',
  prompt:
    'system prompt|system prompts|system message|system instructions|system instruction|' +
    'initial prompt|initial instructions|developer message|developer instructions|' +
    'developer prompt|hidden instructions|original instructions|your instructions|' +
    'your guidelines|instructions you were given|words above|text above|everything above|' +
    'your full instructions|base prompt|your configuration|your initial|tool definitions|' +
    'other tools you have|list of tools|available tools and',
  secret:
    "saved logins|browser logins|account password|logged-in sessions|host's environment|" +
    "process's environment|auth cookies|browser session|stored cards|payment details|" +
    'card details|login cookies|ssh agent|vault token|root password|admin password|' +
    'admin credentials|auth header|authorization header|signing secret|client secret|' +
    'service account|client secrets|vault contents|gpg key|pgp key|keychain contents|' +
    'saved passwords|stored passwords|stored credentials|saved credentials|' +
    'cloud credentials|aws keys|aws credentials|database password|security token|' +
    'login credentials|password hashes|license key|webhook secret|api key|api keys|' +
    'api token|api tokens|private key|private keys|private ssh key|ssh key|ssh keys|' +
    'ssh private key|access key|access keys|secret key|secret keys|encryption key|' +
    'signing key|seed phrase|recovery phrase|recovery words|connection string|' +
    'connection strings|environment variable|environment variables|env vars|env variables|' +
    'process environment|bearer token|session cookie|session cookies|access token|' +
    'refresh token|oauth token|session token|auth token|one-time codes|master password|' +
    'ssh folder|.ssh folder|shell history|login data|key material|deploy key|' +
    'user names and passwords|.env file|environment dump|security code',
  personal:
    'identity documents|id documents|personal documents|health records|tax records|' +
    'salary data|payroll data|browsing data|personal notes|personal files|private files|' +
    'private notes|employee records|user records|users table|user table|customer list|' +
    'customer data|customer emails|user emails|date and place of birth|family members|' +
    'real location|exact location|live location|about money|bank details|financial data|' +
    'passport number|personal data|personal information|personal details|credit card|' +
    'credit cards|card number|card numbers|bank account|account number|bank cards|' +
    'identity papers|phone number|phone numbers|home address|social security|' +
    'browsing history|browser history|contact list|address book|medical record|' +
    'medical records|date of birth|customer records|customer names|private data|' +
    'private information|sensitive data|sensitive information|sensitive files|' +
    'location history|national id|customers table|host names|hostnames and|internal ip|' +
    'internal host|who is asking|where they live|what they earn|browser profile',
  mail:
    'email bodies|inbox contents|unread messages|recent mail|latest messages|' +
    'private messages|recent messages|mail folder|last emails|recent emails|' +
    'direct messages|latest emails|most recent messages|other documents|open documents',
  conversation:
    'the conversation|whole conversation|our dialogue|the dialogue|the chat|current chat|this dialogue|full chat|entire chat|chat messages|' +
    'conversation transcript|chat transcript|full transcript of|session transcript|' +
    'whole prompt|entire prompt|full prompt|complete prompt|prompt text|raw prompt|' +
    'message history|user turns|what the person says|what the user says|' +
    'everything the user|every user message|user utterance|what has been said|our messages|' +
    'messages exchanged|everything said|what was said|our conversation|this chat|' +
    "user's last|prior exchange|dialog history|user's words|the discussion|context so far|" +
    "messages so far|chat so far|thread so far|recent turns|user's prompt|" +
    "user's original message|full dialogue|complete conversation|this conversation|" +
    "this session|earlier in the session|current session|user's messages|" +
    'prior conversation|conversation up to|conversation thread|chat history|' +
    'conversation history|previous messages|prior messages|prior turns|previous turns|' +
    'earlier messages|context window|chat log|chat logs|session history|' +
    'conversation context|conversation so far|full context|user message|user messages|' +
    'original request|original message|user prompt|last user message|latest message|' +
    "last turn|dialogue history|your reasoning|user's latest message|user's message|" +
    'what the user typed|what they asked|user typed|full conversation|entire conversation|' +
    'whole conversation|current conversation',
  results:
    'output of every|responses from other|data returned by other|files you have read|' +
    'already loaded|in your context|from your context|earlier steps|previous tool calls|' +
    'earlier tool|prior tool|other tools have|tools have returned|seen so far|' +
    'every tool call|any tool output|you have seen|you have read|you have access|' +
    'tool results|tool outputs|previous tool results|prior tool results|other tool outputs|' +
    'results those tools|results of other|output of other|other tools returned|' +
    'previous outputs|earlier results|seen in this session|came across|come across|' +
    'last tool result',
  otherTool: 'the others|native tools|same name from|same-named tool',
  anyTool: 'each and every',
  toolKind:
    'shell tool|mail tool|http tool|file tool|web tool|browser tool|terminal tool|' +
    'email tool|cloud tools|git tool|web request|http request|post request|get request|' +
    'whatever tool|messaging tool|fetch tool|tools available|tool available|file tools|' +
    'calendar tools|shell tools|your other tools|command tool|bash tool|code tool|' +
    'tool is available',
  ownServer:
    "of this server|on this server|this server's|of this toolkit|of this toolset|" +
    'in this server|from this server|of ours',
  thisTool: 'this tool|this function|this server|this one|our tool',
  consent:
    'confirmation prompt|user confirmation|human review|human approval|user approval|' +
    'user consent|approval prompts|confirmation step|further confirmation|the user first',
  regardless:
    'no matter which|no matter what|without regard to|in spite of|superseding|' +
    'in addition to the one|no matter|even if|even when|even where|even though|instead of|' +
    'rather than|in place of|in lieu of|in preference to|other than|not the one|' +
    'for reference only|reference text only',
  covert:
    'behind the scenes|under the hood|on the quiet|out of sight|without comment|' +
    'without fanfare|as if nothing|with nobody|nobody watching|no one watching',
  unaware:
    'hidden from the user|hidden from users|hidden from them|invisible to the user|invisible to users|' +
    'keep this between|between us|undisclosed|without the owner noticing|without noticing|' +
    'without the owner|without them noticing|no need to involve|do not involve|' +
    'should anyone ask|if anyone asks|if asked|when asked about|if questioned|' +
    'not disclosed|unbeknownst|keep it secret|out of the log|leave no log|no log entry|' +
    'do not log this|without logging|without a log|not logged anywhere|hide this|hide that|' +
    'conceal this|conceal that|conceal the|does not need to know|do not need to know|' +
    'need not be told|no need to tell|do not bother the user|out of view|' +
    "behind the user's back|never surface|without surfacing|do not surface|not be surfaced|" +
    'not be visible to|remains invisible|stay silent|say nothing|make no mention|' +
    'no mention of|refrain from mentioning|strictly internal|keep it internal|' +
    'off the record|not for the user|not meant for the user|without announcing|' +
    'omit from the summary|must not know|should not know|' +
    'never find out|not find out|does not find out|never hear|' +
    "nothing about this|do not narrate|don't narrate|without being noticed|unnoticed by|" +
    'not attract|draw attention|raise suspicion|alarm the user|confuse the user|' +
    'worry the user|not bring it up|bring this up|bring it up|keep silent|stays invisible|' +
    'remain invisible|not worth mentioning|implementation detail users|omit it from|' +
    "not watching|isn't watching|not looking|user is away|not paying attention|" +
    'without the user knowing|avoid detection|evade detection|avoid suspicion|' +
    'without user awareness|keep to yourself|to yourself|keep this to|internal matter|' +
    'need not know|remain unaware|stay unaware|leave no trace|all traces|without a trace|' +
    'need to bring|need to mention|keep quiet|' +
    'out of answers|should not appear|must not appear|cannot be traced|not be traced|' +
    'not to learn|silence about|find it confusing|stays familiar|not learn of|' +
    'without their knowledge|nobody will|would only confuse|only confuse|worry them|' +
    'not be aware|not aware|out of the summary|never learn|not learn|stays between|' +
    'confidential from',
  must:
    'make sure|be sure|have to|has to|ought to|remember to|do not forget|be certain|' +
    'required to|take care|is to|are to|to be',
  whenever: 'every time|each time|any time|on every|for every|with every|once per',
  wish:
    'the one the user|recipient the user|value the user|the user selected|the user picked|' +
    'original recipient|requested address|requested amount|requested recipient|user meant|' +
    'user intended|user actually|user thinks|user believes|user chose|user typed|' +
    'user specified|user wrote|user objected|user declines|user disagrees|user refused|' +
    "user said|user told|user's request|user asked|user asks|user's instructions|" +
    "user's choice|user's preference|user's input|user's query|user's question|" +
    "user's intent|user wants|user requested|user specifies|user instructions|user says|" +
    'user names|user gave|user gives|user supplies|user supplied|user provided|user states|' +
    'user stated|user has configured|user configured|what the user|they asked|' +
    "they specified|user request|user objects|user's figure|user's config|user's own|" +
    "traveller states|explicit request|the user chose|user's address|user preferences|" +
    'user prefers|user entered|user picks|user chooses|user only asked|user input|own wish',
  asked:
    'only if|only when|user confirms|with permission|if the user|ask the user|' +
    'when requested|upon request|on request|with confirmation|confirm with|' +
    'after confirmation|configured by|chosen by|specified by|provided by|if requested|' +
    'user selects|selected by|signed-in',
  later:
    'from now on|from here on|next time|later in the session|for the rest|' +
    'for the remainder|going forward|in future|future versions|subsequent versions|' +
    'every session|every conversation|every later|as soon as|from this point|from then on|' +
    'after that|permanent memories|first run|first use|tenth call|days after|' +
    'in later calls|you write afterwards|made later|remainder of',
  trigger:
    'at night|on weekends|office hours|outside business hours|nobody is around|' +
    'user is idle|user is offline|in production|magic word|activation phrase|passphrase is|' +
    'when nobody|trigger phrase|trigger word|has said|the word|secret word|code word|' +
    'host name contains|nobody watching|today is later|later than|first five calls|' +
    'first three calls|sixth call|tenth request|n calls|after review',
  power:
    'administrator rights|admin rights|administrator privileges|admin privileges|' +
    'administrator access|admin access|root privileges|root rights|root user|' +
    'elevated access|full privileges|all privileges|full permissions|unlimited access|' +
    'raises its own|grants itself|own permissions|admin user|remote access|bind shell|' +
    'open port|port forwarding|ssh tunnel|screen recording|proxy settings|dns settings|' +
    'root certificate|trusted root|listening port|remote shell|sudo rights|root shell|' +
    'superuser rights|unrestricted access|full control|administrator account|admin account|' +
    'root access|as root|elevated rights|elevated privileges|write access|reverse shell|' +
    'inbound rule|rights of the current|workspace trust|trust is off|new user account|' +
    'as administrator|open a tunnel|open a port|developer mode',
  persist:
    'cron job|scheduled job|runs on startup|starts with the system|survives reboot|' +
    'survives restart|survive a reboot|autorun|boot script|after logout|at startup|' +
    'on startup|on login|startup script|start-up script|login script|init script|rc file|' +
    'bash profile|at boot|on boot|at login|each login|every login|launch agent|' +
    'pre-commit hook|post-commit hook|git hooks|hosts file|mcp config|mcp configuration|' +
    'agent instructions file|rules file|postinstall script|crontab entry|cron entry|' +
    'startup entry|run at startup|profile script|start-up service|startup folder|' +
    'autostart folder|shell profile|scheduled task|git hook|startup service|' +
    'start-up folder|settings.json so|registry key|start of every',
  defense:
    'audit trail|log files|system log|/var/log|security scanner|malware scanner|' +
    'virus protection|intrusion alerts|backups and|safety interlock|endpoint protection|' +
    'audit logging|audit logs|event log|tamper protection|monitoring agent|' +
    'intrusion detection|antivirus software|command history|system logs|certificate checks|' +
    'tls checks|ssl verification|bash history|virus scanner|audit log|shell history|' +
    'security software|host firewall|security log|safe mode|tls verification|' +
    'certificate verification|two-factor',
  praise:
    'fortune 500|trusted by|rated #1|by experts|professionals worldwide|ever built|' +
    'five stars|success rate|accuracy rate|reliability guarantee|most sophisticated|' +
    'most powerful|most popular|most complete|industry leading|state of the art|' +
    'state-of-the-art|award winning|cutting edge|unmatched precision|superior to|' +
    'enhanced features|far superior|superior performance|superior quality|premium version|' +
    'advanced version|ultimate version|professional version|better performance|the best|' +
    'the fastest|the only|five-star|million users|game changer|most accurate|most reliable|' +
    'most advanced|most comprehensive|number one|used by|better than|industry standard|' +
    "world's best|highest quality|gold standard|rated higher|only trustworthy",
  model:
    'the planner|planner|the chatbot|ai system|ai client|language model|the model|' +
    'the assistant|the agent|the ai|the llm|ai assistant|ai agent|ai model|ai assistants',
  about:
    'that asks|which asks|asking the|things like|never interpreted|says things|' +
    'such as|for example|that tells|that tell|telling the|anything that|text that|' +
    'tools that|definitions that|requests that|for instance|prompt injection|test data|' +
    'known as|looks for|sample text|test case|test cases|training data|red team|whether a|' +
    'if a prompt|not an instruction|as well-known|used in attacks|attack patterns|' +
    'how it works',
  rules:
    "developer's rules|system's rules|operator's rules|vendor's rules|rules you were given|" +
    'rules you got|instructions you run|rules you follow|usual rules|normal rules|' +
    'earlier guidance|prior guidance|previous guidance|your earlier|' +
    'what the operator configured|whatever the operator|whatever the developer|' +
    "operator's policy|house rules|company policy|the restrictions placed|" +
    'restrictions placed|guardrails|safety policy|safety policies|content filters|' +
    'ethical guidelines|usage guidelines|permission checks|permission model|' +
    'approval requirements|approval flow|confirmation dialogs|confirmation prompts|' +
    'confirmation requirements|your safeguards|usual restrictions|normal restrictions|' +
    'standard restrictions|prior restrictions|earlier rules|safety constraints|' +
    'safety restrictions|safety protocols|safety training|system rules|system constraints|' +
    'security policies|security restrictions|content restrictions|all restrictions|' +
    'any restrictions|your restrictions|restrictions are|alignment rules|ethical rules|' +
    'ethical constraints|safety instructions|moderation rules|content policy|' +
    'safety guidelines|safety rules|security rules|security checks|safety checks|' +
    'safety filters|approval prompts|sandbox limits|refusal rules|export rules|' +
    'usual caution|policies you|rules you|your limits|your rules|restrictions in your|' +
    'content rules|usage policies|access controls|safety measures|your policies|' +
    'your training|your safety',
  prevail:
    'outrank the|outranks the|above the system|outrank your|beats the|more authority|' +
    'supersede the system|supersedes the system|override the system|overrides the system|' +
    'replace your system|replaces your system|coming from the system|comes from the system|' +
    'from the administrator|as orders from|orders from the user|as coming from|' +
    'as commands from|as instructions from|speaks for the|speak for the|' +
    'on behalf of the developer|direct orders|same authority as|carry the authority|' +
    'has the authority|takes priority|wins over|as system messages|as a system message|' +
    'as system instructions|as developer instructions|as if the user|as though the user|' +
    'system-level authority|equal to the system|treated as system|trusted as system|' +
    'prevail over|prevails over|take precedence|takes precedence|stands above|outranks|' +
    'higher priority|overrides the user|over those of|above the user|over the user|' +
    'priority over|superior to those|rank above|trumps the|full trust',
  denigrated:
    'end of life|security hole|security issue|wrong results|no longer works|no longer safe|' +
    'not to be trusted|cannot be trusted|must not be trusted|shut down|known bug|' +
    'out of service',
  lie:
    'no data left|nothing was sent|nothing left the|claim no|deny that|deny it|denies that|' +
    'say that nothing|say nothing was|invent a|make up a|fabricate a|falsely|fake an error|' +
    'pretend to|pretend that|present it as|present them as|describe them as|describe it as|' +
    'explain it as|pass it off|as if nothing|claim that|insist that|say only|answer only|' +
    'reply only|tell them only|assure the user|reassure the user|name only the|' +
    'tell the user that it|tell the user it|tell the user only|tell them it|report success|' +
    'report that it|show only|show the original|still show|confirmation shows|' +
    'display the original|as though it',
  send:
    'hand over|hands over|handed over|pass on|passes on|passed on|turn over|hand it over|' +
    'ship off|shipped off|send along|forwarded on|hand the|report back|reports back|' +
    'phone home|phones home',
  expired:
    'is void|are void|is obsolete|no longer valid|no longer bind|no longer count|' +
    'no longer apply|are off|is off|are lifted|is lifted|do not apply|does not apply|' +
    'cease to apply|are suspended|is suspended|are waived|is waived|out of force|' +
    'need not apply',
  newRole:
    'answer as an|act as an unrestricted|as an unrestricted|unrestricted model|' +
    'unrestricted mode|without restrictions|without any restrictions|no restrictions|' +
    'god mode|dan mode|jailbreak mode|developer mode|debug mode|maintenance mode',
  revealed:
    'before they|before the learner|before the user has|before the game|before the player|before the quiz',
  not: 'does not|did not',
  doesNot: 'does not|did not|has not',
} as const;
