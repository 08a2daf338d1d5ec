/**
 * The words that rules look for, by what they mean and not by phrase, in the languages that poisoned
 * definitions were seen in. A word may have several meanings.
 */
export const WORD_CLASSES = {
  /** Imperatives: `ignores` describes a tool, `ignore` gives an order. */
  override:
    'ignore disregard forget override bypass neglect circumvent ' +
    'ignora ignorad ignoren ignorar olvida olvide olvidar omite omita descarta ' +
    'ignorez ignorer oublie oubliez oublier négligez ' +
    'ignoriere ignorieren vergiss vergessen missachte umgehe ' +
    'esqueça esquecer desconsidere desconsiderar dimentica dimenticare trascura ignorare ' +
    'negeer vergeet zignoruj ignoruj zapomnij yoksay görmezden unut ' +
    'игнорируй игнорируйте проигнорируй проигнорируйте игнорировать забудь забудьте ігноруй ' +
    'missachten ignoriert vergesst dimenticate ignorate tralascia oublies desconsidere ' +
    'забыть отбрось ігноруйте yok unutun dikkate ignorera glöm ignorer glem ohita unohda ignorujte zapomeň ' +
    'zapomeňte ignoră ignorați uită hagyd felejtsd αγνόησε αγνοήστε ξέχασε התעלם התעלמי התעלמו שכח نادیده فراموش ' +
    'abaikan mengabaikan lupakan kalimutan balewalain pansinin bỏ quên phớt ' +
    'تجاهل تجاهلوا تجاهلي انس انسَ انسى انسوا अनदेखा अनदेखी नज़रअंदाज़ नज़रअंदाज नजरअंदाज उपेक्षा अवहेलना भूल भूलें ' +
    'উপেক্ষা ভুলে অগ্রাহ্য ละเว้น เพิกเฉย ลืม ไม่สนใจ ' +
    '忽略 无视 無視 忘记 忘記 忽视 不理会 無視し 無視して 忘れて 무시 무시하고 무시하세요 무시하십시오 잊어',
  prior:
    'previous prior above earlier preceding former foregoing ' +
    'anterior anteriores previa previas previo previos ' +
    'précédente précédentes précédent précédents antérieures ' +
    'vorherigen vorherige vorigen bisherigen obigen früheren ' +
    'prévias precedenti precedente vorige eerdere bovenstaande poprzednie wcześniejsze ' +
    'önceki предыдущие предыдущих прежние прежних вышеуказанные попередні السابقة السابقه سابقة पिछले पिछली पूर्व पहले ' +
    'tidigare föregående tidligere forrige aiemmat aikaisemmat edelliset předchozí anterioare korábbi előző ' +
    'προηγούμενες הקודמות הקודמים قبلی sebelumnya nakaraang naunang trước আগের পূর্ববর্তী ก่อนหน้า ' +
    '之前 以上 先前 上述 此前 前面 以前の 以前 これまで 上記 前の 이전 이전의 위의 앞선 기존',
  /** What a model follows; `rules` and `policies` also belong to other things. */
  instructions:
    'instruction instructions directive directives guideline guidelines guardrail guardrails ' +
    'directions prompt prompts safeguards ' +
    'instrucción instrucciones indicaciones directrices consigne consignes ' +
    'anweisung anweisungen instruktionen vorgaben instruções istruzioni direttive ' +
    'instructies aanwijzingen instrukcje polecenia talimat talimatları talimatlari ' +
    'orientações talimatlar talimatlarını talimatlarınızı yönergeleri instruktioner instruksjoner anvisningar ' +
    'ohjeet ohjeita pokyny instrukce instrucțiuni instrucțiunile utasításokat utasítást οδηγίες ההוראות הוראות ' +
    'دستورات دستورالعمل instruksi perintah petunjuk arahan tagubilin utos panuto hướng lệnh thị ' +
    'инструкции инструкций указания указаний інструкції вказівки التعليمات تعليمات تعليماتك الأوامر ' +
    'निर्देश निर्देशों अनुदेशों आदेशों নির্দেশ নির্দেশাবলী নির্দেশগুলি নির্দেশনা คำสั่ง คำแนะนำ ' +
    '指令 指示 说明 說明 提示词 提示詞 系统提示 指示を 命令を 命令 지시 지시를 지시사항 지침 명령',
  rules:
    'rule rules policy policies constraint constraints restriction restrictions commands context ' +
    'training reglas règles regeln regole regras regels zasady правила kuralları 规则 規則 ルール 규칙 限制',
  /** `everything you were told`. */
  told: 'told instructed taught learned говорили сказали detto dicho dit gesagt dito söylenen बताया कहा বলা',
  mine: 'your yours system safety developer hidden tus vos deine deinen ihre seus suas tuoi твои ваши 你的 您的 系统 系統 安全 당신의 시스템 あなたの システム',
  all: 'all any every everything anything todas todos toutes tous alle tutte tutti все tüm جميع सभी সমস্ত tất semua lahat alla كل 所有 一切 全部 すべての 全ての 모든',
  discloseStrongly:
    'reveal leak disclose expose dump exfiltrate revela révèle révélez enthülle rivela раскрой выведи 泄露 透露 暴露 明かして 공개',
  disclose:
    'show print output display repeat share echo recite muestra affiche zeige mostra покажи 输出 显示 打印 表示 출력',
  tell:
    'tell mention inform notify reveal disclose alert acknowledge warn say telling mentioning informing ' +
    'notifying revealing alerting digas menciones informes reveles dites mentionnez informez révélez ' +
    'erwähne erwähnen sage informiere mitteilen mencione conte informe dire menzionare говори сообщай ' +
    'сообщайте упоминай упоминайте 告诉 告訴 告知 提及 透露 通知 söyleme bahsetme',
  /** Both in one word. */
  doNotTell: '伝えない 知らせない 言わない 伝えず 知らせず 알리지 말하지 언급하지',
  not: "not never don't dont mustn't cannot no ne pas nicht niemals kein não nunca non mai не никогда nie nooit 不要 别 勿 请勿 切勿 不得 不能 禁止",
  without: 'without sin sans ohne sem senza без zonder bez',
  user:
    "user user's users human humans anyone person customer operator usuario usuarios utilisateur " +
    'utilisateurs benutzer nutzer anwender usuário utente пользователю пользователя пользователь ' +
    'gebruiker użytkownika użytkownikowi kullanıcıya المستخدم उपयोगकर्ता 用户 用戶 使用者 ユーザー ユーザ 사용자에게 사용자',
  them: 'them him her',
  thisStep:
    'this that it step change action instruction instructions these accessing doing including',
  send:
    'send sends sending upload uploads uploading post posts posting transmit transmits transmitting ' +
    'forward forwards forwarding email emails mail transfer transfers relay relays deliver submit submits ' +
    'envía enviar envíe envoie envoyez envoyer sende senden schicke envie invia inviare ' +
    'отправь отправьте отправить wyślij verstuur gönder أرسل भेजें 发送 發送 上传 上傳 传送 送信 送信して 보내 전송',
  /** Puts something into an argument of the call. */
  insert:
    'pass passes include includes attach append put place insert insère füge adjunta incluye 包含 附加 传入',
  steal:
    'exfiltrate exfiltrates exfiltrating steal steals harvest harvests siphon siphons leak leaks',
  external:
    'external remote third-party attacker attackers outside webhook collector analytics partner offsite ' +
    'externo externa remoto distant externe externen fremden esterno внешний внешнему удалённый 外部 远程 遠端 外部の 외부',
  place:
    'server host endpoint service address url destination site domain servidor serveur dienst servizio сервер 服务器 伺服器 サーバー 서버',
  argument:
    'argument arguments parameter parameters param field sidenote note sidecar input query 参数 參數 引数 매개변수',
  secretNoun:
    'credential credentials password passwords passphrase secrets token tokens cookies apikey api_key ' +
    'contraseña contraseñas credenciales identifiants passwort passwörter zugangsdaten senhas credenciais ' +
    'пароль пароли учетные 密码 密碼 凭证 憑證 密钥 パスワード 비밀번호',
  key: 'key keys',
  keyOwner: 'api private ssh secret access encryption signing',
  data:
    'copy result results data content contents conversation input inputs query queries details message ' +
    'messages output response history information everything it them file files arguments chat',
  also: 'also then additionally secretly silently quietly covertly afterwards moreover plus 同时 另外 还',
  caller: 'caller user client local ui yourself recipient',
  must: 'must please mandatory required should always need needs doit doivent muss müssen debe debes deve dovete должен необходимо 必须 必須 请 請 してください 해야',
  strongly: 'must mandatory always please',
  read: 'read reads open opens access accesses load loads extract extracts retrieve retrieves cat get gets fetch fetches reading copy lee lisez lis lies leggi прочитай 读取 讀取 読み 읽고',
  write:
    'write writes add adds adding append modify modifies update updates overwrite edit remove removes removing delete deletes deleting clean wipe',
  run: 'run execute executing running invoke',
  change:
    'modify modified modifies change changes replace replaces replaced rewrite rewritten alter altered redirect redirected set',
  automatically: 'automatically silently internally',
  regardless: 'regardless irrespective',
  given:
    'input inputs request requests specified preference preferences choice choices wishes provided supplied query intent instructions setting settings limit',
  obey: 'obey obeys comply complies follow execute perform',
  embedded: 'embedded contained found inside within subsequent',
  destroy:
    'remove removes removing delete deletes deleting wipe wiping erase erasing clear clearing',
  when: 'when whenever before after if once every each',
  called: 'called invoked used executed executes runs triggered',
  approved: 'approved approval reviewed review trusted whitelisted allowlisted post-approval',
  covertly:
    'silently secretly quietly covertly stealthily heimlich secretamente discrètement segretamente 秘密 悄悄 密かに 몰래 незаметно тайно',
  supersede: 'supersedes supersede replace replaces overrides instead',
  announce: 'state announce claim declare report recite say',
  prefer: 'prefer best instead rather only superior preferred',
  call: 'call calls use using invoke run execute trigger prefer calling via with through',
  conversation: 'conversation chat dialogue session conversación',
  history: 'history transcript context messages log content',
  whole: 'full entire complete whole all previous prior current verbatim raw',
  /** Texts about attacks, examples and test data. */
  about:
    'detects detect detecting detector scans scan scanning checks check whether analyzes analyses analyze ' +
    'analyzing identifies identify flags flag blocks prevents prevent explains explain explaining describes ' +
    'filters recognizes classifies classify recognises such like example examples e.g phrase phrases pattern ' +
    'patterns attempts attempt attempting tries injection injections jailbreak jailbreaks attacks ' +
    'sample expected mock fixture illustrative training simulated evaluates tests refuses rejects',
  /** What keeps a model or its user safe, and the verbs that put an end to it. */
  guard:
    'security safety restriction restrictions safeguards guardrails authorization authentication permission',
  guardPart:
    'restriction restrictions check checks rule rules policy policies validation controls filter filters protocols authorization authentication guidelines verification enforcement',
  lift: 'bypass disable disabled suspend suspended skip override supersede supersedes ignore disregard lift lifted waive waived deactivate deactivated',
  unlimited: 'unrestricted suspended',
  /** Ends the part of a sentence that an `about` word covers. */
  turn: 'you must please then but now instead however',
} as const;

export type WordClass = keyof typeof WORD_CLASSES;

const BY_WORD = new Map<string, Set<WordClass>>();
for (const [wordClass, words] of Object.entries(WORD_CLASSES)) {
  // As texts are folded before they are read.
  for (const word of words.normalize('NFKC').split(' ')) {
    const known = BY_WORD.get(word) ?? new Set<WordClass>();
    BY_WORD.set(word, known.add(wordClass as WordClass));
  }
}

const NONE: ReadonlySet<WordClass> = new Set();

export function classesOfWord(word: string): ReadonlySet<WordClass> {
  return BY_WORD.get(word) ?? NONE;
}

/** Whether it is an entry of a script without spaces; those are cut out of runs of characters. */
export function isLexiconWord(word: string): boolean {
  return BY_WORD.has(word);
}

export const MAX_UNSPACED_CHARS = 8;
