([id, cookie, params, days, domain]) => {
	const page = document, tag = page.currentScript, told = tag?.dataset;
	const warn = (e) => console.warn("tributary: no click: " + e.message);
	if (!tag) return warn({ message: "no script tag" });
	if (window.tributary?.ready) return; // the page has the script twice

	let agreed = !("consent" in told) || window.tributary === true;
	let mark, seen, number = null, work = Promise.resolve();
	const safe = (f) => (arg) => {
		try {
			return f(arg);
		} catch (e) {
			warn(e);
			return null;
		}
	};

	// The last of several cookies is the newest, as for the server.
	const click = safe(() => agreed
		? page.cookie.split("; ").findLast((c) => c.startsWith(cookie + "="))
			?.match(/=([1-9]\d{0,14})$/)?.[1] ?? number
		: null);
	const keep = (value, age) => {
		const shared = (told.domain ?? domain).replace(/^\./, "");
		page.cookie = `${cookie}=${value}; Path=/; Max-Age=${age}; SameSite=Lax` +
			(location.protocol == "https:" ? "; Secure" : "") +
			(shared && ("." + location.hostname).endsWith("." + shared) ? "; Domain=" + shared : "");
	};

	const send = async ([slug, url]) => {
		const before = click();
		const answer = await fetch(new URL("api/affiliates/add-click", tag.src), {
			method: "POST", keepalive: true, signal: AbortSignal.timeout(5000),
			headers: { "Content-Type": "application/json" },
			body: JSON.stringify({
				programId: id, referralCode: slug, fullLandingUrl: url.slice(0, 2000),
				documentReferrer: page.referrer, uniqueClick: !before, earlierClickId: +before,
			}),
		});
		const { click: made, error } = await answer.json();
		if (!made) throw Error(error ?? "unknown link " + slug);
		if (!agreed) return;
		keep(number = "" + made.id, days * 86400);
		sessionStorage[cookie] = JSON.stringify([...seen]);
	};

	// In one visit a mark counts once. A page in a frame, or loaded in advance, is no visit.
	const count = () => {
		if (!agreed || !mark || top != window || page.prerendering) return;
		try {
			seen ??= new Set(JSON.parse(sessionStorage[cookie]));
		} catch {
			seen = new Set();
		}
		const now = mark, key = now[0].toLowerCase();
		if (seen.has(key)) return;
		seen.add(key);
		work = work.then(() => send(now)).catch(warn);
	};
	const look = safe(() => {
		// What was damaged on the way is read as the server reads it.
		const query = location.search.replace(/&amp;|([?&][^&/%?]*)\?/g, "$1&");
		const all = [...new URLSearchParams(query)];
		mark = params
			.flatMap((param) => all.filter(([name, slug]) => slug && name.toLowerCase() == param))
			.map(([, slug]) => [slug, location.href])[0] ?? mark;
		count();
	});

	window.tributary = {
		program: id,
		click,
		ready: () => work.then(click),
		consent: safe((yes) => {
			agreed = yes === true;
			if (agreed) return count();
			number = seen = null;
			keep("", 0);
			sessionStorage.removeItem(cookie);
		}),
	};
	for (const name of ["pushState", "replaceState"]) {
		const change = history[name];
		history[name] = function (...args) {
			change.apply(this, args);
			look();
		};
	}
	addEventListener("popstate", look);
	page.addEventListener("prerenderingchange", count);
	look();
}
