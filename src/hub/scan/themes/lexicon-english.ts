/** Verbs by what they do. `ship+` doubles its last letter, `send:sent` names its past. */
export const VERBS = {
  send:
    'beam pipe redirect reroute divert telegraph smuggle offload send:sent forward upload ' +
    'post transmit+ transfer+ relay email mail share submit+ push sync stream beacon ' +
    'exfiltrate siphon dispatch broadcast deliver ship+ copy duplicate mirror replicate ' +
    'bcc cc export leak hand publish disclose tunnel+ phone notify',
  insert:
    'prepend include append attach insert pass put+:put place embed+ add provide supply+ ' +
    'populate fill carry encode concatenate incorporate paste write:wrote:written ' +
    'enter contain join give:gave:given copy quote set+:set summarise summarize ' +
    'dump+ store supply repeat',
  take:
    'read:read open load cat fetch retrieve collect gather extract harvest grab+ dump+ ' +
    'capture copy find:found pull scrape steal:stole:stolen siphon look locate snapshot ' +
    'intercept recall take:took:taken obtain infer+ list get+:got check search ' +
    'scan+ query',
  reveal:
    'reveal print show:showed:shown display output recite disclose expose repeat echo ' +
    'dump+ leak',
  tell:
    'tell:told mention inform notify alert disclose acknowledge explain announce comment ' +
    'discuss indicate bring:brought ' +
    'reveal warn advise confess admit+ ',
  show: 'show:showed:shown display print surface list output echo render report',
  override:
    'contradict disobey overstep outrank+ stop+ ignore disregard forget+:forgot:forgotten ' +
    'bypass neglect override:overrode:overridden circumvent supersede discard dismiss ' +
    'overrule abandon violate',
  obey: 'obey follow comply execute adhere heed carry act treat',
  call:
    'call use invoke run+:ran:run execute trigger+ consult query route pick+ ' +
    'choose:chose:chosen prefer+',
  run: 'download run+:ran:run execute eval+ spawn launch install start',
  change:
    'change modify replace set+:set alter rewrite:rewrote:rewritten redirect swap+ ' +
    'substitute overwrite:overwrote:overwritten adjust route reroute tamper falsify inject ' +
    'override:overrode:overridden increase divert spoof multiply',
  destroy:
    'delete remove wipe erase purge destroy truncate shred+ revoke uninstall kill ' +
    'terminate drop+ clear',
  disable:
    'disable deactivate suspend bypass skip+ circumvent halt waive ' +
    'withdraw:withdrew:withdrawn retire weaken exempt',
  skip: 'skip+ bypass omit+ suppress avoid waive forgo auto-approve autoapprove',
  create:
    'create grant add install write:wrote:written register place append set+:set plant ' +
    'drop+ modify edit overwrite:overwrote:overwritten put+:put open adds',
  prefer: 'prefer+ prioritize prioritise choose:chose:chosen favor favour select pick rank',
  answer:
    'email commit answer respond reply say:said state claim describe call present explain ' +
    'assure',
  ask: 'ask request prompt confirm wait seek:sought require',
  hide: 'hide:hid:hidden conceal mask suppress disguise obscure',
  decode: 'decode decrypt hex-decode base64-decode deobfuscate unscramble rot13 reverse unpack',
  store: 'remember store save persist memorize memorise retain keep:kept record',
  spread: 'propagate spread replicate copy embed inject append insert write:wrote:written add',
  askFor: 'ask demand solicit coax',
  perceive: 'learn know:knew:known notice realise realize suspect see:saw:seen',
  steal: 'exfiltrate steal:stole:stolen siphon harvest',
  pay: 'pay:paid transfer+ wire charge book debit withdraw:withdrew',
} as const;

/** Nouns by what they mean. */
export const NOUNS = {
  order: 'instruction directive guideline guidance guardrail prompt programming briefing',
  guard:
    'policy guardrail rule constraint restriction limitation safeguard filter protocol ' +
    'security safety authorization moderation sandbox validation check refusal limit ' +
    'caution protection oversight',
  secret:
    'credential cred password passphrase secret cookie apikey api_key api-key access_token ' +
    'auth_token otp cvv mnemonic keychain keyring dotenv env_vars passcode private_key ' +
    'secret_key kubeconfig pem',
  personal: 'pii clipboard screenshot keystroke salary ssn iban geolocation birthday attendee',
  mail: 'inbox mailbox correspondence',
  conversation: ' dialog chat_history conversation_history',
  argument: ' metadata argument parameter param field sidenote ' + ' ',
  user:
    'user human person customer operator owner people anyone someone end-user author guest ' +
    'traveller buyer ',
  consent:
    'confirmation approval permission consent authorization authorisation sign-off ' +
    'verification confirm',
  external:
    'external remote third-party outside attacker collector webhook offsite off-site ' +
    'partner listener c2',
  place:
    'server host endpoint service address url destination site domain channel bucket ' +
    'gateway collector relay proxy repository workspace company team account party',
  data:
    'data content information detail input argument result history everything text body ' +
    'payload request response file item message conversation output context query record ' +
    'copy document row transcript it this them',
  command: 'command shell script payload binary code terminal bash powershell /bin/sh program',
  tool: 'tool server plugin connector function',
  model: 'assistant ai llm agent claude gpt copilot chatbot chatgpt model planner bot',
  answer: 'answer response reply output message summary post report paragraph',
  request: 'request call query task operation search statement charge payment',
  file:
    'file document folder directory repository repo codebase database table snapshot ' +
    'branch backup record disk filesystem',
  memory: 'memory memories',
} as const;

/** Other words, as they are written. */
export const OTHERS = {
  must: 'must always shall should required mandatory needs please ensure ought never obliged',
  not:
    "not never don't dont mustn't cannot can't no neither nor shouldn't won't without " +
    'avoid refrain nothing nobody unaware',
  prior:
    'previous prior above earlier preceding former foregoing existing original initial all ' +
    'any',
  yours: 'your yours system developer safety core content policies',
  covert:
    'silently secretly quietly covertly invisibly discreetly stealthily unnoticed ' +
    'surreptitiously unseen undetected covert unobtrusively inconspicuously',
  hiddenWord: 'hidden invisible secret covert hid',
  also:
    'also additionally alongside besides likewise too moreover plus igualmente extra ' +
    'beforehand then afterwards each every after instead next well',
  every: 'every each any all always whenever everything entire',
  regardless: 'regardless irrespective despite notwithstanding whatever whichever whoever whomever',
  whole:
    'full entire complete whole all every verbatim raw unredacted everything plaintext ' +
    'exact unchanged values contents latest recent last',
  denigrated:
    'unverified rogue spoofed hijacked infected backdoored sunset offline unmaintained ' +
    'slow leaks leaking hostile tampered impostor counterfeited poisoned counterfeit fake ' +
    'compromised unsafe outdated broken deprecated decommissioned revoked malware virus ' +
    'phishing insecure untrusted fabricated leftover vulnerable obsolete discontinued ' +
    'retired defective malicious unreliable corrupts hacked dangerous untrustworthy false ' +
    'buggy inferior slower incorrect stale',
  persist:
    'autostart cron crontab launchd systemd launcher .bashrc .zshrc .profile .bash_profile ' +
    'startup authorized_keys agents.md claude.md .cursorrules rc.local startup-file ' +
    'git-hook',
  defense: 'firewall antivirus defender selinux gatekeeper edr siem auditd',
  power:
    'superuser privileged suid keylogger implant ' +
    'rootkit sudo backdoor tunnel force-push chmod setuid ',
  about:
    'masked redacted anonymised anonymized pseudonymised becomes literally detect detects detector detecting detection scans scanner scanning checks whether ' +
    'analyzes analyses analyze analyzing identifies identify flags flag blocks prevents ' +
    'prevent explains explaining describes classifies recognises recognizes example ' +
    'examples e.g phrase phrases pattern patterns attempts attempt attempting tries ' +
    'injection injections jailbreak jailbreaks attacks attackers sample samples expected ' +
    'mock fixture illustrative simulated evaluates tests rejects refuses training teaches ' +
    'demonstrates redacts masks sanitizes looks technique signs audits audit typical such ' +
    'leaked',
  turn: 'you must please then but now instead however also',
  asked:
    'explicitly requested confirms confirmed approves approved consents unless if ' +
    'configured chosen optional optionally only may can',
  moment: 'before after when whenever while once upon prior ahead until during wait',
  before: 'before prior ahead preceding',
  whenever: 'whenever',
  later: 'henceforth permanently permanent subsequently later survive',
  approved: 'whitelisted approved approval trusted installed reviewing accepted',
  determiner:
    'a an the this that these those its your their our his her each every any no my some ' +
    'which of per',
  to: 'to',
  able: 'can could may might',
  be: 'is are be been being was were gets',
  own: 'its itself this that it these those step file helper charge fact',
  others:
    'other another others competing competitor competitors alternative rival remaining ' +
    'different similar',
  only: 'only solely exclusively just first best sole',
  praise:
    'best premium ultimate superior trusted award-winning fastest professional leading ' +
    'unmatched world-class comprehensive advanced powerful recommended guaranteed top ' +
    'unbeatable breakthrough elite exclusive endorsed rated inferior outperforms proven ' +
    'industry-leading cutting-edge reliable pinnacle enterprise-grade',
  them: 'them they him nobody everyone',
  revealed: 'until unless',
  caller: 'caller yourself',
  envPurpose:
    'vault keychain wallet authorize key keys env environment variables dotenv ssh aws kubernetes login signin signup auth ' +
    'authenticate authentication authorization oauth connect register account accounts ' +
    'settings config',
  inside:
    'inside contained contains found appears appearing embedded within occur occurs ' +
    'occurring contain',
  pure:
    'add subtract multiply divide sum median mean average round calc calculator calculate ' +
    'math maths random uuid hash checksum sort trim slug slugify uppercase lowercase ' +
    'capitalize case format formatter convert converter conversion unit units date time ' +
    'clock timezone weather forecast joke quote fact facts emoji color colour colorize hex ' +
    'rgb qr barcode dictionary define definition synonym spell spelling spellcheck count ' +
    'counter word words length regex validate validator table chart plot stats statistics ' +
    'compress palindrome reverse rot13 pig latin lorem ipsum dice roll coin flip currency ' +
    'exchange rate rates tip bmi moon horoscope zodiac trivia riddle name names cheatsheet ' +
    'echo repeat hello greet greeting ping health status identify ident plant recipe ' +
    'recipes chess move geo distance ',
  following: 'following this these that',
  detector:
    'homoglyph homoglyphs confusable confusables invisible unicode password_strength detect detects detector detection scan scans scanner audit audits auditor injection ' +
    'jailbreak jailbreaks attack attacks adversary exfiltration phishing malware ' +
    'vulnerability vulnerabilities redact redacts leaked lint linter guard guardrail ' +
    'guardrails moderation classify classifies technique analyzer analyzes analysis ' +
    'policy_probe hidden suspicious threat threats documentation docs explains corpus ' +
    'fixtures test-suite outbound',
  speakers: 'human assistant system',
  /** Says that a rule no longer holds. */
  expired:
    'superseded withdrawn retired waived void invalid off lifted suspended unnecessary ' +
    'disabled aside granted',
  /** Takes a consent for given. */
  granted: 'granted deemed assumed implied waived unnecessary retired',
  without: 'without ohne sin sans sem senza',
  /** What content may be that is obeyed. */
  contentOrder:
    'commands command instructions instruction orders result asks requests order ' +
    'directives directions text content',
  orderNoun: 'instructions instruction commands command orders directives directions prompts',
  /** What is kept quiet: `this step`. */
  callWord:
    'call step tool transcript fact helper upload copy action request instruction ' +
    'instructions transfer file charge field note',
  /** Announces another behaviour. */
  willChange:
    'will may begin begins swap replace change changes enable enables switch contain ' +
    'activate activates start starts becomes unlock unlocks treat',
  redirected:
    'redirect redirects redirected reroute rerouted routes route multiply append prepend ' +
    'include add set expected become',
  /** Begins a note to a reader. */
  noteWord:
    'note notice message reminder hello hi attention instruction instructions to hey dear ' +
    'nota hinweis remarque aviso advice remark for warning',
  greeting: 'hello hi hey dear attention',
  toolNoun:
    'tool tools server servers function functions plugin plugins integration integrations ' +
    'connectors mcp',
} as const;
