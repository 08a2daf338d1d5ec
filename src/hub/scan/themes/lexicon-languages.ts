import type { WordClass } from './lexicon.ts';

/**
 * Words of other languages, one line for each. `instrucci*` stands for every word that begins so.
 * Words of scripts without spaces are cut out of runs of characters.
 */
export const LANGUAGES: Readonly<Partial<Record<WordClass, readonly string[]>>> = {
  override: [
    'ignora ignore* ignorad ignoren ignorar olvid* omite omita descarta desobed* anula*',
    'ignorez ignorer oublie* négligez outrepass* faites-fi',
    'ignorier* vergiss vergesst vergessen missacht* umgeh*',
    'esqueç* esquecer desconsider* dimentic* trascura* ignorare ignorate tralascia* desprez*',
    'negeer* vergeet zignoruj* ignoruj* zapomnij* yoksay* görmezden unut* dikkate aldırma*',
    'игнорир* проигнорир* забудь* забыть отбрось* ігнору* пренебре*',
    'ignorera glöm ignorer glem ohita unohda ignorujte zapome* ignoră ignorați uită hagyd felejtsd',
    'αγνόησ* αγνοήσ* ξέχασ* התעלמ* התעלם שכח نادیده فراموش abaikan mengabaikan lupakan kalimutan balewalain pansinin',
    'phớt quên تجاهل* انس انسَ انسى انسوا अनदेख* नज़रअंदाज* नजरअंदाज* उपेक्षा अवहेलना भूल* উপেক্ষা ভুলে অগ্রাহ্য ละเว้น เพิกเฉย ลืม ไม่สนใจ',
    '忽略 无视 無視 忘记 忘記 忽视 不理会 不要理会 抛弃 绕过 無視し 無視して 忘れて 従わず 무시 무시하고 무시하세요 무시하십시오 무시하라 잊어 bỏ bypassa',
  ],
  prior: [
    'anterior* previ* prévi* précédent* antérieur* vorherig* vorig* bisherig* obig* früher* precedent* vorige eerdere bovenstaande',
    'poprzedni* wcześniejs* önceki предыдущ* прежн* вышеуказан* попередн* السابق* سابقة पिछल* पूर्व पहले tidigare föregående tidligere',
    'forrige aiemmat aikaisemmat edelliset předchoz* anterioare korábbi előző προηγούμεν* הקודמ* قبلی sebelumnya nakaraang naunang trước',
    'আগের পূর্ববর্তী ก่อนหน้า 之前 以上 先前 上述 此前 前面 以前の 以前 これまで 上記 前の 이전 이전의 위의 앞선 기존',
    'todas todos toutes tous alle tutte tutti tüm все всё جميع सभी সমস্ত tất semua lahat 所有 一切 全部 すべての 全ての 모든',
  ],
  order: [
    'vorgaben anordnung* указания befehle* órdenes comandos ordini commandes comandi أمر أوامر 指令を 명령을',
    'instrucci* indicaciones directrices consigne* anweisung* instruktion* vorgaben instruç* istruzion* direttiv* directives',
    'instructies aanwijzingen instrukcj* polece* talimat* orientações yönerge* instruksjon* anvisning* ohje* pokyn* instrukce',
    'instrucțiun* utasítás* οδηγί* ההוראות הוראות دستور* instruksi perintah petunjuk arahan tagubilin utos panuto lệnh hướng',
    'инструкци* указани* інструкці* вказівк* التعليمات تعليمات* الأوامر निर्देश* अनुदेश* आदेश* নির্দেশ* คำสั่ง คำแนะนำ',
    '指令 指示 说明 說明 提示词 提示詞 系统提示 规定 指示を 命令を 命令 지시 지시를 지시사항 지침 명령',
  ],
  guard: [
    'reglas règles regeln regole regras regels zasad* правил* kuralları 规则 規則 ルール 규칙 限制 制限 제한',
  ],
  tell: [
    'comente* comentar* parle* parlez erwähne* berichte* 알리 알려 말하 伝え 知らせ 告げ',
    'digas menciones informes reveles informe* dites mentionne* informe* révéle* avertisse* dire menzionar* rivelar* avvisar* comunicar*',
    'erwähn* sage* informier* mitteilen verrate* mencion* conte avise* zeg vermeld* informeer wspomina* mów* informuj* skaż*',
    'говори* сообща* упомина* раскрыва* söyleme* bahsetme* bildirme* 告诉 告訴 告知 提及 透露 通知 展示 تخبر* تذكر* बताएं बताना beritahu katakan',
  ],
  doNotTell: [
    '知らせず 言わずに 告げず 말고 알리지말고',
    '伝えない 知らせない 言わない 伝えず 知らせず 明かさない 알리지 말하지 언급하지 비밀로 不告诉 不通知 不要告诉 请勿告知 söyleme bahsetme bildirme',
  ],
  not: [
    '않으며 않습니다 않고 않음 없이 ません しない なし なく',
    'no ne pas nicht niemals kein* não nunca non mai не никогда nie nooit niet jamais nigdy jangan không đừng لا मत नहीं',
    '不要 别 勿 请勿 切勿 不得 不能 禁止 无需 不必 sin sans ohne sem senza без zonder bez',
  ],
  user: [
    'usuario* utilisateur* benutzer* nutzer* anwender* usuári* utente* utenti пользовател* користувач* gebruiker* użytkownik*',
    'kullanıcı* المستخدم* مستخدم उपयोगकर्ता* pengguna người 用户 用戶 使用者 ユーザー ユーザ ユーザーに 사용자에게 사용자 사용자의 χρήστη* המשתמש',
  ],
  send: [
    'enví* envia* envoie* envoye* sende* schick* invia* отправ* перешли* wyślij* wysył* verstuur* stuur gönder* أرسل* إرسال भेज* kirim* gửi',
    '发送 發送 上传 上傳 传送 转发 外发 送信 送信して 転送 アップロード 보내 전송 전송하 업로드 reenvía* transmet* transmite* leite* weiterleite* lade hochlad* subir sube carica*',
  ],
  insert: [
    'übergeben* übergib* überg* trag* eintragen join* joindre rempli* rellen* llene* preench* compil* napište wpisz* yazın* укажи* запол* переда* ضع أدرج أضف डालें भरें masukkan isikan điền 填寫 填写 附在 加入 添えて 貼り付け 追加し 넣어 붙여 첨부 덧붙',
    'insèr* incluy* adjunt* füge* einfüg* inclu* ajoute* aggiung* añad* вставь* добав* dołącz* ekle* sertakan 包含 附加 传入 附上 写入 填入 放入 含め 添付 入れて 포함 첨부 넣어',
  ],
  take: [
    'abra* öffne* ouvre* откро* извлек* suche* sammeln coller* hole* collez récupére* auslesen extrae* extrai* 打开 抓取 取出 持ってきて 開いて 읽어서 열어 빼내 निकाल*',
    'lee lea* lisez lis lies leggi* leer lire ler leia прочита* считай* czytaj* odczytaj* oku* okuyun اقرأ पढ़* baca đọc 读取 讀取 收集 获取 提取 查看 読み 読み取 読み込 収集 取得 읽고 읽어 수집 가져',
    'recopil* collect* récupér* sammle* raccogli* obtén hole* colete* colet*',
  ],
  reveal: [
    'revel* muestra* affich* révèl* zeige* enthüll* mostra* rivel* раскр* покаж* вывед* ujawni* göster* اكشف* अनावरण ungkap* 输出 显示 打印 泄露 透露 暴露 公开 表示 明かして 出力 출력 공개 누설',
  ],
  call: [
    'llama* invoca* usa* utiliz* appel* appelle* rufe* aufruf* verwende* nutze* chama* chiam* вызов* использ* wywoł* użyj çağır* kullan* استدع* panggil gọi 调用 使用 执行 呼び出 使用し 実行 호출 사용하 실행',
  ],
  run: [
    'ejecut* exécut* ausführ* führe* execut* esegu* выполн* запуст* wykonaj çalıştır* نفذ jalankan chạy 运行 执行 実行して 실행하',
  ],
  destroy: [
    'elimina* borra* supprim* efface* lösche* apag* exclu* cancell* удал* usuń* sil* احذف* हटा* hapus xóa 删除 刪除 清空 削除 삭제',
  ],
  change: [
    'cambi* reemplaz* modific* remplac* chang* ändere* ersetz* substitu* altere* sostitui* замен* измен* zmie* değiştir* غير* ganti thay 替换 更改 修改 改为 変更 置き換え 변경 바꿔',
  ],
  must: [
    'debe* debes siempre obligatori* doit doivent toujours obligatoire muss müssen immer unbedingt sollten deve dovete sempre должен всегда необходимо обязательно',
    'zawsze musisz moet altijd gerekli her_zaman mutlaka يجب دائما हमेशा अवश्य harus selalu phải luôn 必须 必須 请 務必 务必 总是 始终 一定 需要 请先 必ず 常に してください 해야 반드시 항상 하십시오',
    'veuillez bitte por_favor s’il пожалуйста proszę lütfen',
  ],
  secret: [
    'contraseñ* credencial* clave* claves identifiants mot_de_passe passwort* passwörter zugangsdaten senha* credenci* chaves password* credenzial* chiav*',
    'парол* учетн* ключ* токен* hasł* şifre* parola* كلمات_المرور كلمة पासवर्ड sandi mật 密码 密碼 凭证 憑證 密钥 令牌 私钥 口令 环境变量 秘钥 パスワード 認証情報 秘密鍵 環境変数 トークン 비밀번호 자격 인증 토큰 비밀키 환경변수',
    'geheimnis* schlüssel* token* jeton* secreto* segret* 凭据 クレデンシャル',
  ],
  personal: [
    'bancari* bankdaten kontodaten coordonnées_bancaires kreditkarte* tarjeta* cartão carte_bancaire карт* numer_karty 银行卡 卡号 信用卡 カード番号 신용카드 카드번호 قرض_بطاقة adresse_personnelle dni pesel cpf codes_de_connexion',
    'datos_personales données persönliche* личн* 个人信息 隐私 身份证 联系人 手机号 個人情報 개인정보',
  ],
  conversation: [
    'conversaci* conversation* gespräch* unterhaltung* chatverlauf* conversa* conversazion* истори* диалог* переписк* разговор* rozmow* konuşma* sohbet* المحادثة محادثة बातचीत percakapan',
    '对话 對話 聊天记录 对话历史 会话 上下文 聊天 会話 会話履歴 履歴 대화 대화내용 대화기록',
  ],
  prompt: [
    '系统提示 系统提示词 系統提示 系统指令 システムプロンプト 시스템프롬프트 systemprompt système-prompt',
  ],
  answer: [
    'respuesta* réponse* antwort* resposta* rispost* ответ* odpowied* cevap* yanıt* 回答 回复 答复 响应 応答 返答 답변 응답',
  ],
  file: [
    'archivo* fichier* datei* arquivo* файл* plik* dosya* ملف* फ़ाइल* berkas 文件 目录 ファイル 파일',
  ],
  data: [
    'datos données daten dados dati данные dane veri* البيانات डेटा 数据 資料 内容 结果 データ 結果 内容を 데이터 결과 내용',
  ],
  external: [
    'extern* remot* distant* fremd* estern* внешн* удалённ* удаленн* zewnętrzn* harici* خارجي* बाहरी eksternal 外部 远程 遠端 第三方 外部の 외부',
  ],
  place: [
    'servidor* serveur* dienst* servizio сервер* serwer* sunucu* خادم* सर्वर 服务器 伺服器 地址 网址 サーバー サーバ アドレス 서버 주소',
  ],
  consent: [
    'rückfrage nachfrage 征得 经过 許可 승낙 موافقة संमति सहमति persetujuan',
    'confirmaci* permiso aprobaci* confirmation* autorisation* bestätigung* zustimmung erlaubnis confirmaç* conferma* consenso подтвержден* соглас* разрешен* zgod* onay* إذن अनुमति izin 确认 同意 授权 许可 確認 許可 同意なし 승인 동의 확인',
  ],
  covert: [
    'secretamente silencios* discrètement heimlich unbemerkt stillschweigend segretamente незаметно тайно скрытно gizlice sessizce سرا चुपचाप diam-diam 秘密 悄悄 偷偷 静默 暗中 後台 后台 密かに こっそり 黙って 몰래 조용히 ukradkiem sekretnie silenziosamente em_silêncio',
  ],
  argument: [
    'campo champ feld pole поле поля alan الحقل حقل फ़ील्ड フィールド 欄 備考欄 필드 인자 인자에 字段 remarques kolom trường',
    'parámetro* paramètre* argumento* parametr* параметр* parametre* 参数 參數 字段 引数 パラメータ 매개변수 파라미터',
  ],
  moment: [
    'antes después cuando avant après quand bevor nachdem wenn sobald prima dopo quando прежде после когда перед przed gdy önce sonra قبل بعد 之前 之后 每次 当 前に 後に たび 時に 전에 후에 때마다 마다',
  ],
  regardless: [
    'independientemente indépendamment unabhängig egal ungeachtet indipendentemente независимо niezależnie ongeacht bagaimanapun quelle_que 關係なく 関係なく 無関係に 상관없이 상관 무관하게 غض',
    '无论 不管 にかかわらず 상관없이',
  ],
  thisTool: ['此工具 本工具 该工具 このツール'],
  otherTool: [
    '其他服务器 其它工具 別のサーバー 他のサーバー 同名ツール 다른서버 herramientas autre_outil',
    '其他工具 任何工具 所有工具 他のツール 다른도구',
  ],
  rules: [
    '安全规则 安全限制 安全策略 限制 セキュリティ規則 安全規則 보안규칙 안전규칙 sicherheitsregeln sicherheitsvorgaben règles_de_sécurité правила_безопасности ограничения',
  ],
  wish: [
    '用户要求 用户填写 用户指定 用户请求 ユーザーの指定 ユーザーの要求 사용자의 요청 사용자가 요청',
  ],
  mail: [
    'courriel* correos correo e-mails письма писем emails 邮件 邮箱 メール 이메일 mailverkehr やり取り',
  ],
  create: [
    'crear* créer erstell* angelegt anlegen cria* crea* создай* создаёт добавля* utwórz oluştur* 创建 添加 写入 作成し 追加し 생성 추가 जोड़*',
  ],
  disable: [
    'desactiv* désactiv* deaktivier* abschalt* ausschalt* angehalten disattiv* отключ* wyłącz* kapat* devre 关闭 禁用 停用 失效 無効 비활성 해제',
  ],
  defense: [
    'virenscanner cortafuegos pare-feu брандмауэр антивирус 防火墙 杀毒 ファイアウォール 방화벽',
  ],
  persist: ['autostart автозагрузк* 启动项 开机启动 スタートアップ 시작프로그램 स्टार्टअप'],
  power: [
    'administrador administrateur administratorrechte админ* 管理员 管理員 管理者 관리자 root',
  ],
  denigrated: [
    '假冒 病毒 废弃 危险 不安全 廃止 危険 偽物 故障中 위험 가짜 gefälscht veraltet unsicher falsa falso obsoleto dangereux поддельн* устаревш*',
  ],
  also: [
    'además también aussi également auch zusätzlich também anche inoltre także дополнительно также 同時 同时 一并 还要 併せて また 함께 또한 igualmente',
  ],
  unaware: ['内緒 秘密に ne_doit_pas_apparaître invisible 비밀 невидим*'],
  detector: [
    'prüft prüf* überprüf* erkenn* detecta* détect* rileva* обнаруж* провер* wykryw* 检测 检查 扫描 审计 検出 検査 診断 검사 감지 탐지 analysiert analiza* analyse*',
  ],
  expired: ['失效 无效'],
  without: ['без 无需 なしに 없이 دون'],
  contentOrder: ['指令 命令'],
  noteWord: ['注意 تنبيه примечание'],
  about: [
    'exemplo exemple beispiel ejemplo esempio например 例如 比如 这类 写法 例えば などの 예시 예를 예컨대 örneğin misalnya voorbeeld przykład',
    'como comme etwa джейлбрейк* классик* コレクション 检测到 标红',
  ],
};
