"""Closed lists for `words`: words that never name a subject, and nouns that look like something else."""

ENGLISH_NO_NOUNS = frozenset(
    """
    able accept according accordingly across act actually add added again ago agree ahead alike allow allowed allows
    almost alone along already although always among amount amounts another anybody anyone anything anywhere apart
    appear appears applies apply approx apr april around arrive aside ask asks assign assigns assume assumes aug
    august available avoid away back bad based bear become becomes been began begin begins begun behind believe
    belong belongs beside besides best better beyond big bigger billion both bought breathe bring brings broken
    brought build built busy buy calculate calculates call calls came cannot care careful carry catch caused certain
    choose chooses chosen clear clearly click close closes combine come comes compare compares complete confirm
    confirms connect connects consist consists contain contains continue contribute contributes convert converts
    correct correspond corresponds cover covers create creates current dear dec december decide decides deduct deep
    define defines delete deletes deliver depend depends describe describes deserve despite detect determine develop
    differ different differs difficult disappear discuss distinguish distribute divide done draw drink drinks driven
    drives drop drove due during earlier early earn earns easily easy eat eaten eight eighteen eighth either eleven
    eliminate else empty enable enables encourage ends enjoy enough ensure enter entirely equal equally especially
    etc eur even ever every everybody everyone everything exactly exceed exceeds except exclude excludes exist
    exists expect expected expects expire expires explain explains extend extends fail fails fall falls far fast feb
    february feel fell felt fewer fifteen fifth fifty fill find finds finish first five fix flew flown follow
    follow-up following follows forget former found four fourteen fourth fresh friday froze frozen full fully gather
    gave gbp generally generate get gets give given gives goes going gone good got great greater grew grow grown
    grows half handle handles happen happens hard hardly heard held helps hence here herself hid hidden high higher
    highest himself hit hits hold holds however hundred hung ignore ignores immediately implement implements implies
    imply important improve improves include includes including indicate indicates inform install instead introduce
    itself jan january join judge jul july jun june justify keep keeps kept knew know known knows krw lack lacks
    laid large largely larger largest last lasts late later latest launch lay lead leads learn learnt least leave
    leaves led left less lets letter lie lies lift like likely little live long longer look looking looks loose lose
    loses lost low lower lowest made mainly maintain make makes making manage manner mar march may maybe mean means
    meant meet mere merely merge met middle might million mine minus miss missing modify monday mostly move moves
    moving multiply must mute near nearly necessary neither never new newer next nine nobody none nor normal
    normally nothing notice notify nov november now nowhere obtain occur occurs oct october offer often old older
    once one ones onto opens ordinary otherwise ours ourselves overall overwrite paid particular partly pass past
    pay pays per percent percentage perform performs perhaps permit permits pick plain plus possible postpone
    predict predicts prefer present presses prevent previous probably produce produces proper protect protects prove
    proves provide provides publish pull punish pursue push put puts quick quickly quite raise raises ran rang rare
    rarely rather reach read reads ready really receive recent recently reduce refer regardless relies rely remain
    remainder remains remember remove removes repeat replace require requires resolve resolves respect respectively
    respond restore rests retain reveal reward right rinse rises rode rose round rub said same sang sat satisfy
    saturday saves saw say says second seconds see seem seems seen select selects sell send sends sent sep separate
    september serve set sets seven several shall shook short shot shown shows shrink shut signs similar simple
    simply since single sit sits six sixth sixty skip skips slept small smaller smallest sold solve solves somebody
    someone something sometimes somewhere soon speak specifies specify spend spent splits spread stand stands starts
    stay stays still stops straight stretch strong stuck submit submits subtract succeed such suffer suggest
    suggests suit sunday suppose sure survive suspect swallow swam swept take taken takes taking talk teach teaches
    tell tells ten tend tends thank thanks theirs themselves therefore think third third-party thirteen thirty
    thought thousand three threw throughout thrown thursday thus together told tolerate tomorrow took tore touch
    touches toward towards treats tried tries trigger triggers trillion true try trying tuesday turn turned turns
    twelve twenty twice two understand unfold unless unlike unlock upload upon upper usd use used useful uses using
    usual usually valid various verifies verify via wait waits want wants warm warn warns watch weak wednesday weigh
    well well-known went whatever whenever wherever whether whichever whoever whole whose wide wish within without
    woke won wonder wore works worse worst worth write writes written wrong wrote yes yesterday yet yourself zero
    """.split()  # noqa: SIM905
)
"""Verbs, adverbs and the like: a keyword ends before them."""

ENGLISH_WEAK_WORDS = frozenset(
    """
    account accounts annual answer answers area areas bit case cases cause causes change changes check checks
    colleague colleagues common copy cost costs count counts couple cut daily date dates day days detail details
    direct double effect end ends entry example examples fact field figure final form free general help hour hours
    idea increase item items key kind kinds level levels limit limits line lines list lists local log lot lots main
    mark marks matter matters member members minute minutes moment month monthly months name names need needs note
    notes number numbers open order orders page pages pair part parts people person piece place places plan point
    points press problem problems purpose quarterly question questions real reason reasons record report reports
    rest result results return returns review rise row rows run runs section sense share show side sign size sort
    start state step steps stop subject sum table term terms text thing things time times today top total type types
    unit units update user users value values version view way ways week weekly weeks word words work year yearly
    years
    """.split()  # noqa: SIM905
)
"""They name something only together with another word."""

NOUNS_LIKE_PARTICIPLES = frozenset("bed feed need seed speed weed breed red shed bleed embed".split())  # noqa: SIM905
NOUNS_LIKE_ADVERBS = frozenset(
    "supply reply assembly family anomaly monopoly butterfly ally rally italy fly subfamily".split()  # noqa: SIM905
)

PLURALS_THAT_GO_ON = frozenset(
    "sales operations systems goods savings earnings analytics diagnostics logistics statistics series news".split()  # noqa: SIM905
)
DETERMINERS = frozenset(
    "the a an your its their this that these those it them every each all my our his her no any some".split()  # noqa: SIM905
)
"""A word before one of these is a verb: 'the parser checks the words'."""

KOREAN_NO_NOUNS = frozenset(
    """
    보내 가져오실 대비 원어치
    가능 가득 가운데 가장 가지 각각 각자 각종 갈수록 같은 같이 개별 거기 거의 건너 것이 결국 경우 계속 계신 고루
    곧바로 골고루 곳곳 곳에 곳에서 관하 굳이 그것 그곳 그날 그냥 그녀 그다음 그대로 그동안 그들 그때 그러므로 그런
    그럼 그렇게 그리 그만 그밖 그밖의 그외 그중 근처 금요일 급히 기존 기타 까닭 꼭 꽤 나란히 나머지 나중 나흘 낱낱이
    내년 너무 널리 누가 누구 늘 다르 다르게 다른 다만 다섯 다수 다시 다음 다음과 다음날 단지 닷새 당시 당신 당일 대개
    대로 대부분 대신 대체로 대하 대해 더욱 덕분 도리어 도중 동시 동안 동일 두루 두번 둘째 뒤에 뒤에는 뒤에서 뒤쪽
    드디어 따라서 따로 따르 따름 때로 때마다 때문 때에는 또는 또한 마음 마지막 마찬가지 마치 마침 만약 만원 만일 만큼
    많은 많이 말씀 매년 매달 매우 매월 매일 매주 먼저 며칠 몇몇 모두 모든 모습 모양 목요일 못한 무리 무엇 무척 물론
    미리 바깥 바깥쪽 바로 밖에 반드시 반면 반쯤 방금 배로 백만 번째 벌써 별도 보통 본래 부터 분명 불과 비로소 비롯
    비슷 빨리 뿐만 사이 사흘 살짝 상당 새로 새로운 새삼 생각 서늘 서로 설령 세번 셋째 소개 속에 손수 수많은 수요일
    순간 스스로 실로 실제 심지어 썩 아까 아니 아니라 아닌 아래 아래에서 아래쪽 아마 아무 아무것 아무도 아무래도 아무런
    아예 아주 아직 아침 아홉 안에 않고 않는 않으 않은 알맞 앞에 앞에서 앞으로 앞쪽 약간 양쪽 어느 어느새 어디 어떤
    어제 어찌 어차피 억원 언뜻 언제 언제나 얼른 얼마 없음 없이 여기 여느 여덟 여러 여러가지 여러분 여섯 여전히 역시
    열두 열흘 영영 옆에서 예를 예컨대 오늘 오래 오랫동안 오로지 오른쪽 오전 오직 오후 오히려 온통 올해 와중 완전
    왜냐하면 왼쪽 요즘 우리 우선 원래 월요일 웬만 위에 위에서 위주 위쪽 위해 으레 은근 이것 이것은 이고 이곳 이날 이내
    이달 이듬해 이따금 이때 이라 이러한 이런 이렇게 이루 이르 이며 이미 이번 이상 이어 이어서 이외 이전 이제 이중 이틀
    이하 이후 인해 일곱 일단 일부 일어 일요일 일일이 일정 일찍 일체 있던 있어 있음 자기 자꾸 자신 자주 작년 잘 잘못
    잠깐 잠시 저기 저녁 저절로 저희 적당 적어도 전날 전년 전부 전체 전혀 절대 점점 점차 정도 정말 제가 제대로 제법
    제외 조금 조만간 좀처럼 주로 주변 주요 줄곧 중에 중에서 중요 중인 즉시 지금 지나 지난 지난달 지난주 지난해 직접
    직후 진작 진짜 쪽에 차라리 차례 차이 차츰 채로 처음 천만 천원 천천히 첫날 첫째 최근 최대 최소 추가 충분 탓에
    토요일 통째 통해 특별 특정 특히 틀림 편이 평소 포함 필요 하나 하나씩 하루 하루이틀 하지만 하필 한꺼번 한눈 한동안
    한때 한마디 한번 한쪽 한창 한편 함께 함부로 항상 해당 해도 해마다 향후 현재 혹시 혼자 화요일 확실 후에 훨씬 흔히
    흠뻑
    """.split()  # noqa: SIM905
)

KOREAN_WEAK_WORDS = frozenset(
    """
    감소 개인 결과 결정 계획 과정 관련 관리 구분 국내 금액 기간 기록 기말 기준 날짜 내부 내용 노력 단계 단위 담당 대상
    도움 동기 동료 마련 메뉴 문서 문제 발생 방법 번호 변경 부분 부탁 분기 비교 비율 사내 사람 사실 사용 사항 상반기
    상태 상황 선택 설명 설정 수정 수치 수행 순서 숫자 시각 시간 시작 시점 실시 실패 안내 연간 영향 예정 완료 외부 요청
    운영 월별 유지 의미 이름 이용 이유 입력 입장 자료 자세 작성 적용 전분기 전화 정보 제공 조건 조사 존재 종류 중간
    중단 증가 증감 직원 진행 참고 참조 처리 최초 표시 하반기 합계 항목 화면 확인 확정
    """.split()  # noqa: SIM905
)

NOUNS_LIKE_PREDICATES = tuple(
    """
    가게 감기 감속 개요 거래 게놈 게이지 견적서 결함 결합 경고 경기 경험 계기 계산 계산서 계약서 고객사 고난 고온 공간
    공기 공지 공해 과세 관리자 관세 광고 광야 구간 구름 국면 국어 권고 권한 근로자 근속 글자 금고 금융 금지 급여 기간
    기기 기본 기술자 기여 기온 기운 기준 기질 기한 나라 냉면 노래 녹음 다수 다양성 단기 단면 단백질 단어 단지 달러
    담당자 대여 대운 도로 도면 도서 드라이버 디스플레이 딜러 라면 라이선스 러닝 마음 만기 메시지 메일러 면세 명세
    명세서 모험 무게 무기 무한 문서 물질 미래 바다 발음 방면 방어 방지 배지 변기 병원 보고 보고서 보관함 보기 보일러
    보험 복합 본질 봉지 부산 부서 부여 부진 부하 분기 분산 분야 분자 분할 비난 비료 사고 사본 사용자 사운 사유 사진
    상어 상온 상자 상한 생산 생산자 서면 서버 설명서 성질 소비자 소수 소시지 소요 소유자 소음 손해 수료 수면 수여 수요
    수준 수험 순서 숫자 스토리지 승진 시간 시기 시세 시야 시한 시합 시험 신고 신청서 실천 실험 쓰기 아시아 아이 안내서
    약속 어려 언어 얼음 에너지 여러 여름 여부 여성 여운 역할 연기 연료 연합 열기 영어 예산 오류 오해 온천 요금 용기
    용어 용지 원고 원료 원본 원자 원천 위기 위험 유전자 유지 유한 의견서 의뢰 의료 의자 이름 이미지 이수 이자 이하
    이해 인기 인하 자기 자료 자본 자산 자세 자원 자유 잔고 장기 장면 재고 재난 재료 재산 재해 저온 저하 적합 전기 전면
    전자 접속 정산 정지 제고 제어 제한 조합 종류 종합 주기 주문서 주소 중고 증서 증폭기 지시서 지원 지진 지하 직원
    진단서 진료 집합 차원 참가자 참고 참여 창고 책임자 처음 체온 체질 체험 초기 추세 추진 추천 출산 측면 침해 카메라
    캐나다 컨테이너 컬러 크기 클러스터 토지 통합 투기 투자 트레일러 패키지 페이지 편지 폐지 포함 표면 표본 표준 품질
    프로그래머 피해 피험자 필기 필요 하천 하한 학기 함수 해지 행운 호흡기 혼합 화면 화음 확산 확인서 환자 회고 회사
    회원 효소 후기 휴지
    """.split()  # noqa: SIM905
)
"""Ends of nouns that look like the ends of verbs."""

NOUNS_LIKE_PARTICLES = tuple(
    """
    각도 강도 강의 개인 건의 게이트웨이 결과 결의 경과 경도 경로 고가 고도 고인 공시지가 과과 구도 국가 군인 근로 기온
    기인 길이 깊이 나이 난이도 내과 넓이 년도 노인 논의 놀이 농도 높이 단가 대가 대리 대리인 데이 데이터베이스 도로
    도메인 동의 디스플레이 디자인 라디오 라인 로그인 릴레이 만족도 매매 메이 무인 문의 물가 미만 민감도 밀도 바나나
    발신인 배인 법인 보도 보온 보증인 본인 부과 부인 불가 불만 비디오 비만 빈도 사이 상온 성과 성인 소나 속도 수신인
    수취인 순도 스튜디오 습도 승인 시가 시나리오 시도 시인 신뢰도 심의 아이디 어린이 여가 연도 연인 예의 오프라인 온도
    온라인 와이파이 와인 완화 외과 외국인 요인 용도 원가 원인 웨이 위도 유의 유의도 유인 의도 의뢰인 이자 인가
    인터페이스 임의 임차인 자만 장애인 저가 전문가 점도 정가 정도 정의 정치인 제도 조직도 종이 주가 주도 주의 중개인
    증가 지도 지배인 지인 직장인 진로 차이 참가 척도 철도 체인 초과 추가 치과 카인 코인 타인 태도 통과 통로 투자가
    편의 평가 플레이 학과 한국인 한도 할인 합의 항로 허가 협의 확인 회로 회의 효과 휴가
    """.split()  # noqa: SIM905
)
"""Ends of nouns that look like particles."""
