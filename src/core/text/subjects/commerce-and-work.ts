/** Subjects of shopping, money, business, jobs, offices, law and the public. */
export const COMMERCE_AND_WORK = `
shopping product | products shopper buying catalog catalogue amazon ebay walmart etsy shopify cart checkout stores sku item items sell seller bestseller
price | prices compare cheapest affordable cost budget lowest deal
compare comparison | comparing comparisons versus difference side cheaper alternative
coupon discount | coupons promo codes cashback sale bargain deals savings clearance offers
deal bargain | deals discounted sale cheap offer clearance
electronics gadget | phone laptop computer tablet tv headphone camera device smartphone
phone smartphone | mobile iphone android cell device handset
laptop computer | pc desktop notebook macbook cpu gpu hardware
clothes fashion | clothing wardrobe outfits jeans jacket coat shoes sneakers handbag jewelry stylist wear wearing trend trends look designer
jewelry | ring necklace diamond gold watch
beauty cosmetics | skincare makeup lipstick perfume fragrance hairstyle manicure nail spa salon
shoes sneakers | footwear boots fashion size
furniture | chair desk table bed sofa couch home
order | orders purchase buy purchases cart placed refund return cancel invoice
refund return | cancel order money exchange
delivery shipping | parcels packages tracking courier fedex ups dhl usps freight logistics carrier postal mail shipment shipments
logistics freight | shipping cargo supply chain warehouse container truck
tracking track | trace parcel shipment status monitor
inventory stock | warehouse product quantity supply
warehouse | inventory stock storage logistics
supplier vendor | procurement manufacturer wholesale sourcing purchase b2b
review rating | reviews ratings testimonials feedback critique opinions stars customer
store shop | shops retailer outlet mall nearby boutique
restaurant order | delivery menu takeaway food ubereats doordash
finance financial | finances money wealth budgeting fiscal earnings fund savings capital economic
stock share | stocks shares ticker nyse nasdaq quote investors bull bear earnings dividend index equities brokerage valuations
stock market | trader trading traders exchange equities indices wall street
investment invest | investing investor investors returns portfolio asset funds etf yield retirement hedge
portfolio | holdings assets investment stocks allocation
etf fund | mutual funds nav index holdings investment
bond yield | treasury interest coupon rate fixed maturity
option derivative | options futures call put strike volatility hedge
forex currency | exchange dollar euro pound yen yuan rupee conversion rates fx
crypto cryptocurrency | cryptocurrencies coins btc eth blockchain binance coinbase altcoin solana defi mining tokens ledger exchange
blockchain | ethereum bitcoin transaction contract wallet token address onchain web3
nft | collectible opensea token art mint blockchain
wallet | crypto balance address payment token
gold silver | metal metals precious commodity price bullion
commodity | oil gold wheat metal futures price
bank account | banks accounts iban swift deposit withdrawal balance transfer atm banking branch
budget expense | expenses spending money saving savings cost finance bills
credit | card score loan debt bank lender
loan | loans lending borrower repayment interest mortgage credit installment
debt | loan credit repay borrow owe
interest | rate compound loan savings apr
inflation economy | economic gdp cpi unemployment interest macroeconomic indicator
gdp | economy economic country growth indicator
salary | wage pay income earnings compensation payroll
payroll | salary employee wage hr pay tax
payment pay | payments paypal stripe card billing charge refund transaction subscription invoices
invoice bill | invoices billing payment customer due receipt
receipt | expense invoice purchase
tax | taxes vat refund irs filing deductible income returns gst taxable
retirement pension | savings 401k ira retire
accounting | accountant bookkeeping ledger balance sheet audit tax quickbooks invoice
audit compliance | regulation control policy gdpr risk standard
insurance | insured insurer premium claim policy deductible life health auto coverage
risk | risks assessment hazard exposure
company business | companies corporate firms businesses headquarters employees industry revenue profile b2b
startup | startups founder venture capital funding pitch business entrepreneur
entrepreneur | startup business founder idea
competitor competition | competitors rival market analysis benchmark
market research | survey trends consumer industry analysis competitor
revenue profit | sales income earnings margin financial
earnings | revenue financial quarterly report profit company sec
sec filing | 10 filings company financial report annual
sales crm | salesforce hubspot leads deals prospects opportunities accounts customers pipeline outreach
lead prospect | leads prospects outreach sales contact b2b email
customer client | customers clients crm support service account
customer support | helpdesk service ticket agent zendesk complaint faq
complaint feedback | complaints customer support opinion survey
survey poll | questionnaire form responses vote opinion feedback
form | forms survey questionnaire submit field
vote | poll ballot election
marketing advertising | marketer advertise ads campaigns branding audience content leads copywriting slogan influencer growth funnel
ad advertisement | ads advertising campaign creative banner google facebook
brand branding | logo slogan identity company name marketing
seo | rank ranking ranks backlinks serp keywords organic visibility domain traffic optimise audit search meta
keyword | keywords seo search phrase tag volume
website traffic | visitors analytics seo visits ranking similarweb
analytics | traffic metrics statistics report dashboard insights visitors data
influencer creator | social instagram tiktok youtube followers marketing
newsletter | email subscribers campaign mailing digest
copywriting slogan | tagline headline ad content catchy copy
email campaign | mailchimp newsletter marketing subscribers
job career | jobs careers employer employers hire vacancies positions recruit recruiting remote freelance linkedin applicant unemployed internships work
recruit hiring | candidate recruiter job interview applicant talent hr
candidate applicant | resume interview recruiter hiring job
resume cv | resumes curriculum vitae cover letter jobseeker skills experience
interview | interviews job question prepare candidate mock
freelance freelancer | gig project client upwork hire
employee staff | hr personnel worker payroll team leave
hr | employee human resources payroll leave hiring
leave vacation | absence employee holiday off
office | workplace meeting desk coworking
meeting | meetings zoom teams agenda invite conference call attendee minutes schedule
calendar appointment | calendars invite availability slot agenda schedule events reschedule
schedule | scheduling timetable planner agenda slots
appointment | booking schedule slot doctor visit
reminder | reminders remind alarm notification due deadline forget
alarm timer | countdown clock wake stopwatch reminder
todo task | tasks todos checklist deadline assign trello asana jira priority done organize
project | projects milestone task deadline team asana trello jira manage kanban roadmap
kanban board | card cards trello column task
productivity | task todo focus time organize notes workflow
goal habit | track progress routine motivation
time tracking | timesheet hours timer clock
note notes | notebook notion evernote obsidian memo jot journal write
journal diary | entry mood reflect write
document contract | agreement sign pdf signature template legal
sign signature | esign docusign document contract
legal law | laws attorney lawyers litigation court statute regulation rights contracts clause compliance sue judicial legislation case copyright
court case | judge ruling lawsuit trial opinion docket legal
contract agreement | clause terms legal lease sign nda
patent | patents invention inventor intellectual trademark uspto claims
trademark copyright | intellectual brand infringement patent
privacy | gdpr policy data personal cookies consent
policy regulation | rules law compliance government
government | governments agency public federal state official congress parliament policy
election vote | voting candidate ballot poll politician senator president
congress bill | legislation senate law house representative
visa immigration | passport embassy citizenship green border country
police crime | crimes offender safety theft criminal arrest fraud
fraud scam | phishing fake suspicious spam risk detect
real estate | property house home agent listing mortgage rent
construction building | contractor architect material concrete architecture
architecture architect | building house floorplan design blueprint
manufacturing factory | production machine industrial assembly
energy electricity | solar power wind kwh grid renewable utility battery
carbon emission | co2 footprint climate greenhouse sustainability
water | rain river lake drinking quality hydration
environment | climate pollution sustainability ecology nature recycling
`;
